//! Reports about crawls: parameters that never change the content, contents with many URIs, both by the digests of the
//! records; and circles of redirects.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use urimill::report::{Parameter, State};
use urimill::run::Report;
use urimill_testkit::random::Random;

/// A line of CDXJ: URI, status and digest; `-` is none.
fn line((uri, status, digest): Record<'_>) -> String {
    let members = [("url", uri), ("status", status), ("digest", digest)];
    let members = members.into_iter().filter(|(_, value)| *value != "-");
    let members: serde_json::Map<String, Value> =
        members.map(|(name, value)| (name.to_owned(), json!(value))).collect();
    format!("com,h)/ 20240101000000 {}\n", Value::Object(members))
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path
}

fn state(text: &str) -> State {
    let folder = tempfile::tempdir().expect("a folder");
    let input = write(folder.path(), "a.cdxj", text);
    Report::new().inputs([input]).run().expect("a report").state
}

/// URI, status, digest.
type Record<'a> = (&'a str, &'a str, &'a str);

/// Name, host, URIs without it, pairs with the same digest and with different ones.
type Told<'a> = (&'a str, &'a str, u64, u64, u64);

fn told(parameters: &[Parameter]) -> Vec<Told<'_>> {
    parameters
        .iter()
        .map(|one| (one.name.as_str(), one.host.as_str(), one.uris, one.same, one.different))
        .collect()
}

#[test]
fn pairs_of_uris_that_differ_in_one_parameter() {
    let table: &[(&str, &[Record<'_>], &[Told<'_>])] = &[
        ("one URI is no pair", &[("http://h/?a=1", "200", "D1")], &[]),
        (
            "with and without",
            &[("http://h/?a=1", "200", "D1"), ("http://h/", "200", "D1")],
            &[("a", "h", 1, 1, 0)],
        ),
        (
            "two values",
            &[("http://h/?a=1", "200", "D1"), ("http://h/?a=2", "200", "D2")],
            &[("a", "h", 1, 0, 1)],
        ),
        (
            "no value and an empty one",
            &[("http://h/?a=", "200", "D1"), ("http://h/?a", "200", "D1")],
            &[("a", "h", 1, 1, 0)],
        ),
        (
            "three values are three pairs",
            &[("http://h/?a=1", "200", "D1"), ("http://h/?a=2", "200", "D1"), ("http://h/?a=3", "200", "D2")],
            &[("a", "h", 1, 1, 2)],
        ),
        (
            "the others must be the same",
            &[
                ("http://h/?a=1&b=1", "200", "D1"),
                ("http://h/?a=2&b=2", "200", "D1"),
                ("http://h/?a=1&b=2", "200", "D2"),
            ],
            &[("a", "h", 1, 0, 1), ("b", "h", 1, 0, 1)],
        ),
        (
            "a parameter goes with all its values",
            &[("http://h/?a=1&a=2", "200", "D1"), ("http://h/?a=3", "200", "D1")],
            &[("a", "h", 1, 1, 0)],
        ),
        (
            "names in any case, encoded or not",
            &[("http://h/?%41=1", "200", "D1"), ("http://h/?a=2", "200", "D1")],
            &[("a", "h", 1, 1, 0)],
        ),
        (
            "hosts apart",
            &[
                ("http://h/?a=1", "200", "D1"),
                ("http://h/?a=2", "200", "D1"),
                ("http://i/?a=1", "200", "D1"),
                ("http://i/?a=2", "200", "D2"),
            ],
            &[("a", "h", 1, 1, 0), ("a", "i", 1, 0, 1)],
        ),
        ("the same URI is no pair", &[("http://h/?a=1", "200", "D1"), ("http://h/?a=1", "200", "D1")], &[]),
        (
            "a fragment makes no other URI",
            &[("http://h/?a=1#b", "200", "D1"), ("http://h/?a=1#c", "200", "D1")],
            &[],
        ),
        (
            "a content that changes by itself tells nothing",
            &[("http://h/?a=1", "200", "D1"), ("http://h/?a=2", "200", "D1"), ("http://h/?a=1", "200", "D2")],
            &[],
        ),
        ("another status", &[("http://h/?a=1", "404", "D1"), ("http://h/?a=2", "200", "D1")], &[]),
        ("no status", &[("http://h/?a=1", "-", "D1"), ("http://h/?a=2", "200", "D1")], &[]),
        ("no digest", &[("http://h/?a=1", "200", "-"), ("http://h/?a=2", "200", "-")], &[]),
        (
            "contents of no bytes are not the same content",
            &[
                ("http://h/?a=1", "200", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
                ("http://h/?a=2", "200", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
            ],
            &[],
        ),
        (
            "the name of the algorithm may be missing",
            &[("http://h/?a=1", "200", "sha1:D1"), ("http://h/?a=2", "200", "D1")],
            &[("a", "h", 1, 1, 0)],
        ),
        ("no host", &[("mailto:a@b?a=1", "200", "D1"), ("mailto:a@b?a=2", "200", "D1")], &[]),
        ("no name", &[("http://h/?=1", "200", "D1"), ("http://h/?=2", "200", "D1")], &[]),
    ];
    for (what, records, expected) in table {
        for records in [records.to_vec(), records.iter().rev().copied().collect()] {
            let state = state(&records.iter().copied().map(line).collect::<String>());
            assert_eq!(told(&state.parameters().by_host), *expected, "{what}");
        }
    }
}

/// Pages with a session that does not change the content, a number that does, and a parameter that one host uses.
fn shop(pages: usize, hosts: &[&str]) -> String {
    let mut text = String::new();
    for page in 0..pages {
        for session in ["", "&sid=a1", "&sid=b2"] {
            for (host, view) in hosts.iter().flat_map(|host| [(host, "v=1"), (host, "v=2")]) {
                let uri = format!("http://{host}/?id={page}&{view}{session}");
                let digest = if *host == "h" { format!("D{page}") } else { format!("D{page}{view}") };
                text.push_str(&line((&uri, "200", &digest)));
            }
        }
    }
    text
}

#[test]
fn a_parameter_is_dropped_where_no_host_heeds_it() {
    for (pages, hosts, drops) in
        [(2, &["h"][..], &[][..]), (3, &["h"], &["sid", "v"]), (3, &["h", "i"], &["sid"])]
    {
        let found = state(&shop(pages, hosts)).parameters();
        assert_eq!(found.drop_params, drops, "{pages} contents of {hosts:?}");
        assert_eq!(found.share, 1.0);
    }
    let state = state(&shop(3, &["h", "i"]));
    let json = state.to_json(10);
    let parameters = &json["crawl"]["parameters"];
    assert_eq!(parameters["drop_params"], json!(["sid"]));
    let sid = &parameters["all_hosts"][0];
    let expected = json!({
        "host": null, "name": "sid", "never_matters": true, "hosts": 2, "uris": 12, "pairs": 36, "same": 36,
        "different": 0, "contents": 9, "same_example": sid["same_example"], "different_example": null,
    });
    assert_eq!(*sid, expected);
    let pair: Vec<&str> =
        sid["same_example"].as_array().expect("a pair").iter().flat_map(Value::as_str).collect();
    let without = |uri: &str| uri.split("&sid").next().map(str::to_owned);
    assert!(pair.len() == 2 && pair[0] != pair[1] && without(pair[0]) == without(pair[1]), "{pair:?}");
    let by_host = told_of(&parameters["by_host"]);
    assert_eq!(by_host, ["h sid true", "i sid true", "h v true", "h id false", "i id false", "i v false"]);
    let page = state.page("a");
    assert!(page.contains("1 never changed a content: <code>--drop-params sid</code>"), "{page}");
}

fn told_of(parameters: &Value) -> Vec<String> {
    let one =
        |one: &Value| format!("{} {} {}", one["host"], one["name"], one["never_matters"]).replace('"', "");
    parameters.as_array().expect("a list").iter().map(one).collect()
}

#[test]
fn one_content_with_many_uris() {
    let uris = |host: &str, number: usize, digest: &str| -> String {
        (0..number).map(|at| line((&format!("http://{host}/{at}"), "200", digest))).collect()
    };
    let nothing = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
    for (what, text, expected) in [
        ("twenty of one host", uris("h", 20, "D1"), &[("h", "D1", 20)][..]),
        ("fewer", uris("h", 19, "D1"), &[]),
        ("of two hosts", uris("h", 19, "D1") + &uris("i", 19, "D1"), &[]),
        ("the same URI again", uris("h", 19, "D1") + &uris("h", 19, "D1"), &[]),
        ("of nothing", uris("h", 20, nothing), &[]),
        ("that changed", uris("h", 20, "D1") + &uris("h", 1, "D2"), &[]),
        ("the most first", uris("h", 20, "D1") + &uris("i", 21, "D1"), &[("i", "D1", 21), ("h", "D1", 20)]),
    ] {
        let found = state(&text).same_contents();
        let found: Vec<_> =
            found.iter().map(|one| (one.host.as_str(), one.digest.as_str(), one.uris)).collect();
        assert_eq!(found, expected, "{what}");
    }
    let state = state(&uris("h", 20, "D1"));
    assert_eq!(state.same_contents()[0].examples, ["http://h/0", "http://h/1", "http://h/10"]);
    assert!(state.page("a").contains("One content, many URIs"));
}

/// URIs of a circle.
type Way<'a> = &'a [&'a str];

/// URI, status, target.
type Redirected<'a> = (&'a str, &'a str, &'a str);

fn redirect((uri, status, target): Redirected<'_>) -> String {
    let members = json!({ "url": uri, "status": status, "redirect": target });
    format!("com,h)/ 20240101000000 {members}\n")
}

#[test]
fn redirects_that_lead_back() {
    let table: &[(&str, &[Redirected<'_>], &[Way<'_>])] = &[
        ("there", &[("http://h/a", "301", "http://h/b")], &[]),
        (
            "and back",
            &[("http://h/a", "301", "http://h/b"), ("http://h/b", "302", "http://h/a")],
            &[&["http://h/a", "http://h/b"]],
        ),
        ("to itself", &[("http://h/a", "307", "http://h/a")], &[&["http://h/a"]]),
        (
            "by references, and other forms of the same",
            &[("http://h/a/b", "308", "../c?d#e"), ("HTTP://H:80/c?d", "303", "/%61/./b")],
            &[&["http://h/a/b", "http://h/c?d"]],
        ),
        ("with an empty path", &[("http://h", "301", "http://h/")], &[&["http://h/"]]),
        (
            "of three, with a tail",
            &[
                ("http://h/t", "301", "http://h/c"),
                ("http://h/c", "301", "http://h/a"),
                ("http://h/a", "301", "http://h/b"),
                ("http://h/b", "301", "http://h/c"),
                ("http://h/b", "301", "http://h/e"),
            ],
            &[&["http://h/a", "http://h/b", "http://h/c"]],
        ),
        (
            "no redirect by its status",
            &[("http://h/a", "200", "http://h/a"), ("http://h/b", "304", "/b")],
            &[],
        ),
        ("no target", &[("http://h/a", "301", ""), ("http://h/b", "301", "http://[/")], &[]),
    ];
    for (what, records, expected) in table {
        let state = state(&records.iter().copied().map(redirect).collect::<String>());
        let found = state.circles();
        let circles: Vec<Vec<&str>> =
            found.circles.iter().map(|one| one.example.iter().map(String::as_str).collect()).collect();
        assert_eq!(circles, *expected, "{what}");
        assert_eq!(state.to_json(9)["crawl"].is_null(), found.pairs == 0, "{what}");
        let page = state.page("a");
        assert_eq!(page.contains("id=\"circles\""), found.pairs > 0, "{what}");
        for circle in *expected {
            assert!(page.contains(&format!("<td class=\"t\">{}</td>", circle.join("<br>"))), "{what}");
        }
    }
}

/// A crawler states how it came to a URI.
#[test]
fn redirects_by_the_hop_path() {
    let line = |(uri, hops, via): (&str, &str, &str)| {
        format!(
            "2012-05-23T15:06:28.689Z   302         56 {uri} {hops} {via} text/html #048 20120523150627325+74 - - -\n"
        )
    };
    for (what, records, expected) in [
        ("there", &[("http://h/b", "LR", "http://h/a")][..], 0),
        ("and back", &[("http://h/b", "LR", "http://h/a"), ("http://h/a", "LRR", "http://h/b")], 1),
        ("to itself", &[("http://h/a", "R", "http://h/a")], 1),
        ("by links", &[("http://h/b", "L", "http://h/a"), ("http://h/a", "RL", "http://h/b")], 0),
        ("from nowhere", &[("http://h/b", "R", "-"), ("http://h/a", "-", "http://h/a")], 0),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let log: String = records.iter().copied().map(line).collect();
        let input = write(folder.path(), "crawl.log", &log);
        let state = Report::new().inputs([input]).run().expect("a report").state;
        assert_eq!(state.circles().circles.len(), expected, "{what}");
    }
}

/// More than the samples hold: a state does not depend on threads, pieces, or the order in which states are merged.
#[test]
fn samples_are_the_same_however_they_are_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(11);
    let parts: Vec<PathBuf> = (0..3)
        .map(|part| {
            let record = |_| {
                let (host, page, session) = (random.next() % 40, random.next() % 20_000, random.next() % 5);
                let digest = if host == 7 { "SAME".to_owned() } else { format!("D{host}-{page}") };
                let there = format!("http://h{host}.example/r{page}");
                let home = format!("http://h{host}.example/home");
                let (from, to) = if session < 3 { (&there, &home) } else { (&home, &there) };
                let redirected = redirect((from, "302", to));
                line((&format!("http://h{host}.example/{page}?id={page}&sid={session}"), "200", &digest))
                    + &redirected
            };
            write(folder.path(), &format!("{part}.cdxj"), &(0..30_000).map(record).collect::<String>())
        })
        .collect();
    let whole = |threads, chunk| {
        Report::new().inputs(&parts).threads(threads).chunk(chunk).run().expect("a report").state
    };
    let expected = whole(1, 4 << 20);
    let found = expected.parameters();
    assert!(found.share < 1.0, "these are too few records for the test");
    assert_eq!(found.drop_params, ["sid"]);
    assert!(found.all_hosts[0].same > 100 && found.all_hosts[0].different == 0, "{:?}", found.all_hosts[0]);
    // About 2,200 URIs of the host have it.
    let contents = expected.same_contents();
    assert_eq!((contents.len(), contents[0].host.as_str()), (1, "h7.example"));
    assert!((1900..2500).contains(&contents[0].uris) && contents[0].sampled < 1900, "{contents:?}");
    let circles = expected.circles();
    assert!(circles.share < 1.0 && circles.circles.len() == 40, "{}", circles.circles.len());
    for (threads, chunk) in [(2, 4 << 20), (2, 64 << 10), (5, 16 << 10)] {
        let other = whole(threads, chunk).to_json(usize::MAX);
        assert!(other["crawl"] == expected.to_json(usize::MAX)["crawl"], "{threads} threads");
    }
    let states: Vec<State> =
        parts.iter().map(|part| Report::new().inputs([part]).run().expect("a report").state).collect();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let mut merged = State::new().expect("a state");
        for at in order {
            let stored = State::from_bytes(&states[at].to_bytes(), "a").expect("a state");
            merged.merge(&stored).expect("they add up");
        }
        assert!(merged.to_json(usize::MAX)["crawl"] == expected.to_json(usize::MAX)["crawl"], "{order:?}");
    }
}

/// Long names, values, hosts and URIs, and many parameters: the state stays small, and the page escapes them.
#[test]
fn hostile_records_take_bounded_room() {
    let mut text = String::new();
    let long = "x".repeat(1500);
    for number in 0..20_000 {
        let uri = match number % 4 {
            0 => format!("http://h/?{long}{}={number}", number % 7),
            1 => format!("http://h{number}/?{}", format!("p{number}=1&").repeat(40)),
            2 => format!("http://user:secret@h/{long}?a={number}&b={long}"),
            _ => format!("http://h/?'%3C/script%3E{}=%22{number}&{}", number % 3, "&a=1".repeat(14)),
        };
        text.push_str(&line((&uri, "200", &format!("sha1:<b>{}", number % 50))));
    }
    let state = state(&text);
    let bytes = state.to_bytes();
    // Two samples of 32,768 texts of 256 bytes at most, and the figures.
    assert!(bytes.len() < 32 << 20, "{} bytes", bytes.len());
    let (json, page) = (state.to_json(usize::MAX).to_string(), state.page("a"));
    for never in ["secret", "<b>", "%3C/script%3E0=\"", "</script>0"] {
        assert!(!page.contains(never), "{never}");
    }
    assert!(!json.contains("secret") && page.contains("id=\"parameters\""));
    assert!(page.len() <= urimill::report::MOST_PAGE_BYTES, "{} bytes", page.len());
    let patterns = state.parameters().drop_params;
    assert!(patterns.iter().all(|name| name.bytes().all(|b| b.is_ascii_alphanumeric())), "{patterns:?}");
}

/// The report shows when each host was fetched. The lines of the index are not in the order of their times.
#[test]
fn hosts_over_time() {
    let line = |host: &str, time: &str, length: &str| {
        format!("com,h)/ {time} {{\"url\":\"http://{host}/\",\"length\":\"{length}\"}}\n")
    };
    let text = [
        line("b.example", "20240101000000", "5"),
        line("a.example", "20240101001000", "1"),
        line("a.example", "20240101000000", "2"),
        line("a.example", "20240101000100", "-"),
        line("c.example", "20240102000000", "7"),
        line("c.example", "20240102000000", "7"),
    ]
    .concat();
    let state = state(&text);
    let told = |state: &State| -> Vec<_> {
        let hosts = state.hosts(9).into_iter();
        hosts.map(|one| (one.host, one.records, one.bytes, one.last - one.first, one.longest_gap)).collect()
    };
    let expected = [
        ("a.example".to_owned(), 3, 3, 600_000, Some((540_000, 540_000))),
        ("c.example".to_owned(), 2, 14, 0, None),
        ("b.example".to_owned(), 1, 5, 0, None),
    ];
    assert_eq!(told(&state), expected);
    let stored = State::from_bytes(&state.to_bytes(), "a.state").expect("a state");
    assert_eq!(told(&stored), expected, "a state keeps them");
    let mut twice = stored.clone();
    twice.merge_all_the_same(&state).expect("a sum");
    assert_eq!(twice.hosts(1)[0].records, 6, "states add up");
    assert!(state.page("x").contains("id=\"hosts_over_time\""), "the page has them");
    let json = state.to_json(9);
    assert_eq!(json["hosts_over_time"]["hosts"][0]["longest_gap_ms"]["lower"], 540_000);
}
