//! Reports by the builder: their counts, that states add up to the whole, and pages of hostile input.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;
use urimill::ErrorKind;
use urimill::report::{Figure, MOST_PAGE_BYTES, State};
use urimill::run::{Conversion, InputFormat, InputOptions, NormalizeOptions, OnDamage, Output, Report, Top};
use urimill_testkit::random::Random;

/// Lines of a combined log with some of everything.
fn log(lines: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut below = move |most: u64| random.next() % most;
    let line = |_| {
        let (client, path, query) = (below(50), below(300), below(5));
        let status = [200, 200, 304, 404, 500][below(5) as usize];
        let extension = ["html", "PNG", "css", "a-b"][below(4) as usize];
        let (day, hour, minute) = (1 + below(28), below(24), below(60));
        let agent = match client % 4 {
            0 => format!(
                "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:{client}.0) Gecko/20100101 Firefox/{client}.0"
            ),
            1 => format!("Mozilla/5.0 (compatible; Googlebot/2.{client}; +http://www.google.com/bot.html)"),
            2 => format!("curl/8.{client}"),
            _ => format!("agent {client}"),
        };
        format!(
            "192.0.2.{client} - - [{day:02}/May/2015:{hour:02}:{minute:02}:03 +0000] \"GET \
             /d{}/f{path}.{extension}?p{query}=1&q HTTP/1.1\" {status} {} \"http://h{query}.example/x\" \"{agent}\"\n",
            path % 7,
            below(100_000),
        )
    };
    (0..lines).map(line).chain(["192.0.2.1 - - broken\n".to_owned()]).collect()
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn state(inputs: &[&PathBuf]) -> State {
    Report::new().inputs(inputs).run().expect("a report").state
}

#[test]
fn the_state_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = write(folder.path(), "a.log", log(20_000, 1));
    let states = [1, 2, 3, 8].map(|threads| {
        let run = Report::new().inputs([&input]).threads(threads).chunk(64 << 10);
        run.run().expect("a report").state.to_bytes()
    });
    assert!(states.iter().all(|state| *state == states[0]));
    let read = State::from_bytes(&states[0], "a").expect("a state");
    assert_eq!(figures(&read), figures(&state(&[&input])));
}

/// Kinds of agents: each figure adds up to the agents, and none depends on threads.
#[test]
fn agents_are_counted_by_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = write(folder.path(), "a.log", log(5000, 3));
    let of_clients = |rest: &[u64]| {
        let state = state(&[&input]);
        let visitors = state.top(Figure::Visitor, usize::MAX);
        let of_rest = visitors.iter().filter(|item| {
            let client = item.text.strip_prefix("192.0.2.").and_then(|number| number.parse::<u64>().ok());
            client.is_some_and(|client| rest.contains(&(client % 4)))
        });
        of_rest.map(|item| item.lower).sum::<u64>()
    };
    for (figure, name, expected) in [
        (
            Figure::AgentFamily,
            "agent_family",
            vec![("Firefox", &[0][..]), ("Googlebot", &[1]), ("Other", &[3]), ("curl", &[2])],
        ),
        (Figure::OperatingSystem, "os", vec![("Other", &[1, 2, 3]), ("Ubuntu", &[0])]),
        (Figure::Robot, "robots", vec![("Googlebot", &[1])]),
    ] {
        let mut expected: Vec<_> =
            expected.into_iter().map(|(text, rest)| (text.to_owned(), of_clients(rest))).collect();
        // The broken line has the client 1, and no agent.
        if let Some((_, sum)) = expected.iter_mut().find(|(text, _)| text == "Googlebot") {
            *sum -= state(&[&input]).total(Figure::Visitor) - state(&[&input]).total(Figure::Agent);
        }
        for threads in [1, 4] {
            let report = || Report::new().inputs([&input]).threads(threads).chunk(32 << 10);
            let whole = report().run().expect("a report").state;
            let (counted, _) = Top::new(name, report()).run().expect("a figure");
            for mut items in [whole.top(figure, 9), counted.items] {
                items.sort_by(|one, other| one.text.cmp(&other.text));
                let found: Vec<_> = items.into_iter().map(|item| (item.text, item.lower)).collect();
                assert_eq!(found, expected, "{name}, {threads} threads");
            }
        }
    }
}

/// Objects and tables with fields of any name: known ones count, by whichever of their names a record has.
#[test]
fn fields_of_any_name_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = [
        r#"{"url":"http://a.example/1","status":200,"time":"2026-01-02T03:04:05Z","size":12,"mime":"text/html"}"#,
        r#"{"url":"http://a.example/2","http_status":"404","timestamp":"2026-01-02T03:06:05Z","extra":{"status":1}}"#,
        r#"{"url":"http://b.example/","status":"none","status_code":500,"bytes":-1,"date":"yesterday"}"#,
    ];
    let server = [r#"{"url":"/1","status":200,"client":"192.0.2.1","user_agent":"curl/8","duration_us":7}"#];
    type Expected<'a> = &'a [(Figure, &'a [(&'a str, u64)])];
    type Times<'a> = Option<(&'a str, &'a str)>;
    let table: [(&str, String, InputFormat, Expected<'_>, Times<'_>); 4] = [
        (
            "a table in text",
            "url,status,time\n/1,200,2026-01-02T03:04:05+01:00\n/2,none,2026-01-02 03:04:05\n".to_owned(),
            InputFormat::Csv,
            &[(Figure::Status, &[("200", 1)])],
            Some(("2026-01-02 02:04:05", "2026-01-02 03:04:05")),
        ),
        (
            "a crawl",
            crawl.join("\n"),
            InputFormat::Jsonl,
            &[
                (Figure::Status, &[("200", 1), ("404", 1), ("500", 1)]),
                (Figure::HostFailures, &[("a.example", 1), ("b.example", 1)]),
                (Figure::HostBytes, &[("a.example", 12)]),
                (Figure::MediaType, &[("text/html", 1)]),
                (Figure::Path, &[]),
            ],
            Some(("2026-01-02 03:04:05", "2026-01-02 03:06:05")),
        ),
        (
            "a document",
            format!("[{}]", crawl.join(",")),
            InputFormat::Json,
            &[(Figure::Status, &[("200", 1), ("404", 1), ("500", 1)])],
            Some(("2026-01-02 03:04:05", "2026-01-02 03:06:05")),
        ),
        (
            "a server",
            server.join("\n"),
            InputFormat::Jsonl,
            &[
                (Figure::Path, &[("/1", 1)]),
                (Figure::PathTime, &[("/1", 7)]),
                (Figure::AgentFamily, &[("curl", 1)]),
                (Figure::Visitor, &[("192.0.2.1", 1)]),
            ],
            None,
        ),
    ];
    for (name, text, format, figures, times) in table {
        let input = write(folder.path(), "a.json", text);
        let options = InputOptions::new().format(format).uri_field("url");
        let state = Report::new().inputs([&input]).read_as(options).run().expect(name).state;
        for (figure, expected) in figures {
            let mut top: Vec<_> =
                state.top(*figure, 9).into_iter().map(|item| (item.text, item.upper)).collect();
            top.sort();
            let expected: Vec<_> = expected.iter().map(|(text, sum)| ((*text).to_owned(), *sum)).collect();
            assert_eq!(top, expected, "{name}: {figure:?}");
        }
        let times = times.map(|(first, last)| (first.to_owned(), last.to_owned()));
        assert_eq!(state.times(), times, "{name}");
    }
}

/// The path of a request counts by its first and last bytes as a path in a list does, however long it is: only the
/// first 256 bytes of a text are counted as such.
#[test]
fn paths_count_by_their_ends_however_long_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let lengths = (248..260).chain([1000]).flat_map(|length| [length; 3]);
    let paths: Vec<String> = lengths
        .enumerate()
        .map(|(at, length)| format!("/d{}/{:a<length$}.t{}", at % 2, "", at % 5))
        .collect();
    let request = |path: &String| {
        format!("192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {path} HTTP/1.1\" 200 1 \"-\" \"-\"\n")
    };
    let log = write(folder.path(), "a.log", paths.iter().map(request).collect::<String>());
    let list = write(
        folder.path(),
        "a.txt",
        paths.iter().map(|path| format!("http://h{path}\n")).collect::<String>(),
    );
    let [log, list] = [log, list].map(|input| state(&[&input]));
    for figure in [Figure::FirstSegment, Figure::FileType] {
        assert_eq!(log.total(figure), paths.len() as u64, "{figure:?}");
        assert_eq!(log.top(figure, 9), list.top(figure, 9), "{figure:?}");
    }
}

/// A backslash affects its own line only.
#[test]
fn what_servers_escape_is_read_in_each_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = [
        ("/plain", "first"),
        ("/\\x41", "a \\\"b\\\""),
        ("/plain", "second"),
        ("/plain", "back\\\\slash"),
        ("/\\x42", "last"),
    ];
    let line = |(path, agent): (&str, &str)| {
        format!(
            "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {path} HTTP/1.1\" 200 1 \"-\" \"{agent}\"\n"
        )
    };
    let state = state(&[&write(folder.path(), "a.log", lines.map(line).concat())]);
    let texts = |figure| {
        let mut texts: Vec<String> = state.top(figure, 9).into_iter().map(|item| item.text).collect();
        texts.sort();
        texts
    };
    assert_eq!(texts(Figure::Path), ["/A", "/B", "/plain"]);
    assert_eq!(texts(Figure::Agent), ["a \"b\"", "back\\slash", "first", "last", "second"]);
}

/// Names at one place of paths count as values if there are many, whatever the number of threads.
#[test]
fn templates_are_learnt_from_all_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |number: u32| {
        [7, 5, 3].map(|by| char::from(b'a' + (number / by % 26) as u8)).iter().collect::<String>()
    };
    let lines: String = (0..9000)
        .map(|number| match number % 3 {
            0 => format!("http://h.example/user/{}{}/posts\n", name(number), name(number * 31)),
            1 => format!("http://h.example/item/{number}?page={number}\n"),
            _ => "https://h.example/about\n".to_owned(),
        })
        .collect();
    let input = write(folder.path(), "list.txt", lines);
    let expected = [
        ("//h.example/about", 3000),
        ("//h.example/item/{number}?page={number}", 3000),
        ("//h.example/user/{…}/posts", 3000),
    ];
    for threads in [1, 2, 5] {
        let report = || Report::new().inputs([&input]).threads(threads).chunk(16 << 10);
        let state = report().run().expect("a report").state;
        let (counted, _) = Top::new("template", report()).run().expect("a figure");
        for items in [state.top(Figure::Template, 9), counted.items] {
            let found: Vec<_> = items.iter().map(|item| (item.text.as_str(), item.lower)).collect();
            assert_eq!(found, expected, "{threads} threads");
        }
        assert_eq!(state.distinct(Figure::Template).estimate, 3);
        assert_eq!((counted.distinct.estimate, state.total(Figure::Template)), (3, 9000));
    }
}

/// The figures, without those about the runs.
fn figures(state: &State) -> serde_json::Value {
    let mut json = state.to_json(usize::MAX);
    json["rejects"].take();
    json
}

/// A later table may have columns that no report counts, but none that counts and that the first table lacks.
#[test]
fn tables_have_the_columns_that_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = |name: &str, csv: &str| {
        let (input, output) = (write(folder.path(), "in.csv", csv), folder.path().join(name));
        let options = InputOptions::new().format(InputFormat::Csv).uri_field("url");
        let run = Conversion::new().inputs([&input]).read_as(options).write_to(Output::to(&output));
        run.run().expect("a table");
        output
    };
    let first = table("a.parquet", "url,note\nhttp://a.example/,x\n");
    let more = table("b.parquet", "url,remark\nhttp://b.example/,y\n");
    let other = table("c.parquet", "url,status\nhttp://c.example/,404\n");
    let report = |inputs: [&PathBuf; 2]| {
        Report::new().inputs(inputs).read_as(InputOptions::new().uri_field("uri")).run()
    };
    assert_eq!(report([&first, &more]).expect("a report").state.accounts().records, 2);
    let error = report([&first, &other]).expect_err("a column that counts");
    assert!(error.to_string().contains("\"status\", which"), "{error}");
    let error = report([&other, &first]).expect_err("a column is missing");
    assert!(error.to_string().contains("\"status\""), "{error}");
}

#[test]
fn inputs_have_the_names_that_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = [1, 2].map(|seed| write(folder.path(), &format!("{seed}.log"), log(10, seed)));
    let made = Report::new().inputs(&inputs).names(["monday", "tuesday"]).run().expect("a report");
    let figures = made.state.to_json(0);
    assert_eq!(figures["inputs"]["names"], serde_json::json!(["monday", "tuesday"]));
    let rejects = figures["rejects"].as_object().expect("an object").values();
    let examples = rejects.flat_map(|code| code["examples"].as_array().expect("an array"));
    assert!(examples.map(|example| &example["source"]).eq(["monday", "tuesday"]));
    let error = Report::new().inputs(&inputs).names(["monday"]).run().expect_err("a name is missing");
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn states_add_up_to_the_whole_in_any_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let parts = [1, 2, 3].map(|seed| write(folder.path(), &format!("{seed}.log"), log(3000, seed)));
    let whole = state(&parts.iter().collect::<Vec<_>>());
    assert_eq!((whole.accounts().records, whole.accounts().rejects), (9003, 3));
    let each = parts.each_ref().map(|part| state(&[part]));
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut merged = State::new().expect("a state");
        order.iter().for_each(|at| merged.merge(&each[*at]).expect("they add up"));
        assert_eq!(figures(&merged), figures(&whole), "{order:?}");
        assert_eq!(merged.to_json(0)["rejects"], whole.to_json(0)["rejects"]);
    }
    // Through files.
    let files = [0, 1, 2].map(|at| write(folder.path(), &format!("{at}.state"), each[at].to_bytes()));
    let made = Report::new().inputs(&files).page(folder.path().join("all.html")).run().expect("a report");
    assert!(made.is_merged);
    assert_eq!(figures(&made.state), figures(&whole));
}

/// Sums of more texts than a sketch holds are within the sketch's bounds, merged or not.
#[test]
fn sums_keep_their_bounds_beyond_what_is_exact() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random(7);
    let mut sums: HashMap<String, u64> = HashMap::new();
    let mut parts = Vec::new();
    for part in 0..3 {
        let mut text = String::new();
        for _ in 0..60_000 {
            // Some hosts are frequent, and most occur once or twice.
            let number = if random.below(3) == 0 { random.next() % 20 } else { random.next() % 200_000 };
            let host = format!("h{number}.example");
            text.push_str(&format!("http://{host}/\n"));
            *sums.entry(host).or_default() += 1;
        }
        parts.push(write(folder.path(), &format!("{part}.txt"), text));
    }
    let whole = state(&parts.iter().collect::<Vec<_>>());
    let mut merged = State::new().expect("a state");
    parts.iter().for_each(|part| merged.merge(&state(&[part])).expect("they add up"));
    for (state, name) in [(&whole, "whole"), (&merged, "merged")] {
        let error = state.error(Figure::Host);
        assert!(error > 0, "{name}: these are too few hosts for the test");
        assert_eq!(state.total(Figure::Host), 180_000, "{name}");
        let items = state.top(Figure::Host, usize::MAX);
        for item in &items {
            let sum = sums[&item.text];
            assert!(item.lower <= sum && sum <= item.upper, "{name}: {item:?} and {sum}");
            assert!(item.upper - item.lower <= error, "{name}: {item:?}");
        }
        // Texts that are missing are rare ones.
        for (host, sum) in sums.iter().filter(|(_, sum)| **sum > error) {
            assert!(items.iter().any(|item| item.text == *host), "{name}: {host} with {sum} is missing");
        }
        let distinct = state.distinct(Figure::Host);
        let exact = sums.len() as u64;
        assert!(distinct.lower <= exact && exact <= distinct.upper, "{name}: {distinct:?} and {exact}");
    }
    assert_eq!(whole.distinct(Figure::Host), merged.distinct(Figure::Host), "registers have no order");
}

#[test]
fn damaged_states_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = write(folder.path(), "a.log", log(500, 4));
    let bytes = state(&[&input]).to_bytes();
    let refused = |bytes: &[u8]| State::from_bytes(bytes, "x.state").expect_err("no state").to_string();
    assert!(refused(b"").starts_with("x.state: this is no state"));
    for len in [22, 25, 40, bytes.len() / 2, bytes.len() - 1] {
        let sentence = refused(&bytes[..len]);
        assert!(sentence.contains("truncated"), "{len}: {sentence}");
    }
    let mut later = bytes.clone();
    later[21] = 9;
    assert!(refused(&later).contains("version 9"));
    // Bytes with a right checksum that are not a state, or a different one: an error or a state, never a panic.
    let mut random = Random(5);
    for _ in 0..3000 {
        let mut bytes = bytes[..bytes.len() - 8].to_vec();
        for _ in 0..1 + random.next() % 4 {
            let at = 25 + random.next() as usize % (bytes.len() - 25);
            bytes[at] = random.next() as u8;
        }
        if random.below(4) == 0 {
            bytes.truncate(25 + random.next() as usize % (bytes.len() - 25));
        }
        bytes.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
        if let Ok(mut state) = State::from_bytes(&bytes, "x.state") {
            state.to_json(5);
            state.page("a");
            drop(state.merge_all_the_same(&state.clone()));
        }
    }
}

#[test]
fn pages_hold_no_markup_of_the_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = [
        "</script><script>alert(1)</script>",
        "http://h/</style><img src=x onerror=alert(1)>",
        "http://h/\u{202e}evil\u{2066}",
        "http://h/\u{1b}[2J\u{7}",
        "http://h/?\"onload=\"alert(1)&'x'=1",
        "http://h/'-->",
        "http://user:secret@h/ x",
        "http://h/valid",
    ];
    let lines = hostile.map(|text| text.to_owned() + "\n").concat();
    let input = write(folder.path(), "<title>&\u{202e}.txt", &lines);
    let log = hostile.map(|text| {
        format!("{text} - - [17/May/2015:10:05:03 +0000] \"GET /{text} HTTP/1.1\" 404 5 \"http://{text}/\" \"{text}\"\n")
    });
    let log = write(folder.path(), "a.log", log.concat());
    for input in [&input, &log] {
        let made = Report::new().inputs([input]).run().expect("a report");
        let page = made.state.page(&input.display().to_string());
        for never in
            ["<img", "alert(1)</script>", "</style><", "\u{202e}", "\u{2066}", "\u{1b}", "\u{7}", "secret"]
        {
            assert!(!page.contains(never), "{}: {never:?}", input.display());
        }
        // Its own two, and no more.
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("\"onload").count(), 0);
        assert!(page.contains("&lt;/script&gt;") && page.contains("\\u{202e}"));
        assert!(!page.contains("http-equiv=\"refresh\"") && page.contains("default-src 'none'"));
    }
}

#[test]
fn the_page_fits_whatever_the_input_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let quotes = "'".repeat(200);
    let line = |number: usize| {
        format!(
            "{number}{quotes} - - [{:02}/May/{}:10:05:03 +0000] \"M{number}{quotes} /{number}{quotes}.x{number}?{number}{quotes}=1 \
             P{number}{quotes}\" {} 5 \"http://{number}{quotes}/\" \"{number}{quotes}\"\n",
            1 + number % 28,
            1900 + number % 200,
            400 + number,
        )
    };
    let log = write(folder.path(), "a.log", (0..3000).map(line).collect::<String>());
    let page = state(&[&log]).page("long");
    assert!(page.len() <= MOST_PAGE_BYTES && page.contains("<td class=\"t\">"), "{} bytes", page.len());
}

#[test]
fn what_is_damaged_stands_in_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, log(3000, 1).as_bytes()).expect("it is compressed");
    let bytes = gzip.finish().expect("it is compressed");
    let input = write(folder.path(), "cut.log.gz", &bytes[..bytes.len() / 2]);
    let error = Report::new().inputs([&input]).run().expect_err("it is truncated");
    assert_eq!(error.kind(), ErrorKind::Data);
    let made = Report::new()
        .inputs([&input])
        .read_as(InputOptions::new().on_damage(OnDamage::Keep))
        .run()
        .expect("a report");
    assert_eq!((made.state.damaged(), made.damaged.len()), (1, 1));
    let page = made.state.page("a");
    let (unread, totals) = (page.find("id=\"unread\""), page.find("id=\"totals\""));
    assert!(unread < totals && page.contains("truncated or damaged: 1"));
}

#[test]
fn nothing_is_a_report_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = write(folder.path(), "empty.txt", "");
    let page = state(&[&input]).page("nothing");
    assert!(page.contains("Nothing: every input is whole"));
    // A state and a log cannot be added up.
    let bytes = state(&[&input]).to_bytes();
    let stored = write(folder.path(), "a.state", bytes);
    let error = Report::new().inputs([&stored, &input]).run().expect_err("they are mixed");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("is a state and other inputs are not"), "{error}");
    // Rules are checked before anything is read.
    let base = NormalizeOptions::new().base("/relative");
    assert_eq!(
        Report::new().inputs([&input]).normalize(base).run().expect_err("a base").kind(),
        ErrorKind::Usage
    );
}
