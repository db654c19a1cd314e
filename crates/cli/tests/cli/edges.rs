//! `urimill links --edges`: how many links lead from one host, registered domain or page to another. The table is
//! compared with that of the links themselves, added up here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use urimill_testkit::archives::{html, response};

use super::run::{dir, names, urimill, write};
use super::table::jsonl;

/// Pages of some hosts that link to each other, and other pages.
fn archive() -> Vec<u8> {
    let mut archive = Vec::new();
    let mut page = |uri: &str, body: &str| archive.extend(html(uri, body));
    page(
        "http://a.example.com/",
        "<a href=x></a><a href=//b.example.org/1></a><a href=//b.example.org/1#f></a>",
    );
    page(
        "http://A.example.com/x",
        "<a href=//b.example.org/2></a><a href=mailto:u@h></a><a href='http://[x'></a>",
    );
    page(
        "https://b.example.org:8080/",
        "<a href=//a.example.com/x></a><img src=//192.0.2.1/i><a href='?q#f'>",
    );
    page("http://b.example.org/none", "no links");
    page("http://xn--mnchen-3ya.example/", "<a href=//m%C3%BCnchen.example/b></a><a href=//localhost/></a>");
    page("urn:page", "<a href=http://a.example.com/></a>");
    archive.extend(response(
        "http://a.example.com/z",
        "Content-Type: text/css\r\n",
        b"a{background:url(//c.example/i)}",
    ));
    archive
}

fn edges(options: &str, input: &[u8]) -> Vec<String> {
    let text = urimill(&format!("links --to csv --edges {options} --summary none")).stdin(input).ok();
    text.text().lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn links_are_counted_between_hosts_domains_and_pages() {
    let table: [(&str, &[&str]); 3] = [
        (
            "host",
            &[
                "a.example.com,a.example.com,1,1",
                "a.example.com,b.example.org,3,2",
                "a.example.com,c.example,1,1",
                "b.example.org,192.0.2.1,1,1",
                "b.example.org,a.example.com,1,1",
                "b.example.org,b.example.org,1,1",
                "xn--mnchen-3ya.example,localhost,1,1",
                "xn--mnchen-3ya.example,xn--mnchen-3ya.example,1,1",
            ],
        ),
        // An address, a single label, and a name whose suffix is not in the list have no registered domain.
        (
            "registered_domain",
            &[
                "example.com,example.com,1,1",
                "example.com,example.org,3,2",
                "example.org,example.com,1,1",
                "example.org,example.org,1,1",
            ],
        ),
        // Without fragments; the page of an opaque URI has one, too.
        (
            "uri",
            &[
                "http://a.example.com/,http://a.example.com/x,1,1",
                "http://a.example.com/,http://b.example.org/1,2,1",
                "http://a.example.com/x,http://b.example.org/2,1,1",
                "http://a.example.com/x,mailto:u@h,1,1",
                "http://a.example.com/z,http://c.example/i,1,1",
                "http://xn--mnchen-3ya.example/,http://localhost/,1,1",
                "http://xn--mnchen-3ya.example/,http://m%C3%BCnchen.example/b,1,1",
                "https://b.example.org:8080/,https://192.0.2.1/i,1,1",
                "https://b.example.org:8080/,https://a.example.com/x,1,1",
                "https://b.example.org:8080/,https://b.example.org:8080/?q,1,1",
                "urn:page,http://a.example.com/,1,1",
            ],
        ),
    ];
    for (node, expected) in table {
        assert_eq!(edges(node, &archive()), expected, "{node}");
    }
}

#[test]
fn every_link_is_accounted_for() {
    let dir = dir();
    write(dir.path(), "a.warc", archive());
    let run = |options: &str| {
        let line = format!("links a.warc --summary json --force {options}");
        urimill(&line).within(dir.path()).ok().summary()
    };
    let summary = run("--edges host -o t.parquet --verify");
    let expected =
        json!({ "counted": 10, "invalid": 1, "without_source": 1, "without_target": 1, "to_itself": 0 });
    assert_eq!(summary["links"], expected);
    assert_eq!((&summary["edges"], &summary["verified"]), (&json!(8), &json!(true)));
    assert_eq!(summary["pages"]["pages"], json!(7));
    let summary = run("--edges host --graph -o g/");
    let expected =
        json!({ "counted": 5, "invalid": 1, "without_source": 1, "without_target": 3, "to_itself": 3 });
    assert_eq!(summary["links"], expected);
    assert_eq!((&summary["edges"], &summary["vertices"]), (&json!(3), &json!(3)));
}

/// Many pages, whose links come in several batches.
fn many() -> Vec<u8> {
    let mut archive = Vec::new();
    for page in 0..60 {
        let links = (0..page * 7).map(|link| format!("<a href=//h{}.example/{link}>", link * page % 13));
        archive.extend(html(&format!("http://p{}.example/{page}", page % 5), &links.collect::<String>()));
    }
    archive
}

#[test]
fn the_table_is_the_sum_of_the_links_whatever_the_threads_chunks_and_memory() {
    let input = many();
    let columns = "page,page_record,host";
    let links = urimill(&format!("links --to jsonl --columns {columns} --summary none")).stdin(&input).ok();
    let mut sums: BTreeMap<(String, String), (u64, BTreeSet<u64>)> = BTreeMap::new();
    for row in jsonl(&links.stdout) {
        let text = |column: &str| row[column].as_str().expect("a text").to_owned();
        let source = text("page").split('/').nth(2).expect("a host").to_owned();
        let (links, pages) = sums.entry((source, text("host"))).or_default();
        *links += 1;
        pages.insert(row["page_record"].as_u64().expect("a number"));
    }
    let expected: Vec<String> = sums
        .iter()
        .map(|((source, target), (links, pages))| format!("{source},{target},{links},{}", pages.len()))
        .collect();
    assert!(expected.len() > 50);
    for options in ["", "--threads 1", "--threads 5 --chunk 512", "--chunk 5000", "--memory 1M --chunk 64"] {
        assert_eq!(edges(&format!("host {options}"), &input), expected, "{options}");
    }
}

fn unzipped(path: &Path) -> Vec<Vec<String>> {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a file");
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn a_graph_has_numbered_vertices_and_pairs_of_numbers() {
    let dir = dir();
    write(dir.path(), "a.warc", archive());
    write(dir.path(), "many.warc", many());
    for (input, options) in
        [("a.warc", ""), ("many.warc", ""), ("many.warc", "--memory 1M --threads 3 --chunk 99")]
    {
        let line = format!("links {input} --edges host --graph -o g/ --force --summary none {options}");
        urimill(&line).within(dir.path()).ok();
        assert_eq!(names(&dir.path().join("g")), ["_SUCCESS", "edges.txt.gz", "vertices.txt.gz"]);
        let vertices = unzipped(&dir.path().join("g/vertices.txt.gz"));
        assert!(vertices.windows(2).all(|pair| pair[0][1] < pair[1][1]), "{vertices:?}");
        let numbers: Vec<String> = (0..vertices.len()).map(|number| number.to_string()).collect();
        assert!(vertices.iter().zip(&numbers).all(|(vertex, number)| vertex[0] == *number));
        let reversed = |name: &str| name.rsplit('.').collect::<Vec<_>>().join(".");
        let name = |number: &str| reversed(&vertices[number.parse::<usize>().expect("a number")][1]);
        let pairs = unzipped(&dir.path().join("g/edges.txt.gz"));
        let order = |pair: &[String]| (pair[0].parse::<u64>().ok(), pair[1].parse::<u64>().ok());
        assert!(pairs.windows(2).all(|two| order(&two[0]) < order(&two[1])), "{pairs:?}");
        let found: BTreeSet<String> =
            pairs.iter().map(|pair| format!("{},{}", name(&pair[0]), name(&pair[1]))).collect();
        let text =
            urimill(&format!("links {input} --edges host --to csv --summary none")).within(dir.path()).ok();
        let is_name = |name: &str| name.contains('.') && !name.ends_with(".1");
        let expected: BTreeSet<String> = text
            .text()
            .lines()
            .skip(1)
            .filter_map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                let [source, target] = [fields[0], fields[1]];
                (source != target && is_name(source) && is_name(target)).then(|| format!("{source},{target}"))
            })
            .collect();
        assert_eq!((found, pairs.len()), (expected.clone(), expected.len()), "{input} {options}");
    }
}

#[test]
fn nothing_gives_an_empty_table_and_an_empty_graph() {
    assert_eq!(edges("host --from html", b"no links"), Vec::<String>::new());
    let dir = dir();
    urimill("links --from html --edges host --graph -o g/ --summary none").within(dir.path()).stdin("").ok();
    assert_eq!(unzipped(&dir.path().join("g/vertices.txt.gz")), Vec::<Vec<String>>::new());
    assert_eq!(unzipped(&dir.path().join("g/edges.txt.gz")), Vec::<Vec<String>>::new());
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (line, parts) in [
        ("--edges uri --graph -o g/", &["--graph is for names", "--edges host or registered_domain"][..]),
        ("--edges host --graph", &["--graph writes a directory", "-o DIR/"]),
        ("--edges host --graph -o g/ --verify", &["--verify is for tables"]),
        ("--edges host --graph -o g/ --to csv", &["--to is for tables"]),
        ("--edges host", &["edges are no list of URIs"]),
        ("--edges host -o d/ --to csv", &["edges are one file"]),
        ("--edges host --psl list --to csv", &["--psl does not affect edges"]),
    ] {
        urimill(&format!("links {line}")).stdin("").fails(2, parts);
    }
    let done = urimill("links --edges host --columns uri").stdin("").go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("cannot be used with '--columns"), "{}", done.stderr);
}

#[test]
fn damage_is_said_and_what_was_before_it_counts() {
    let dir = dir();
    let bytes = many();
    write(dir.path(), "cut.warc", &bytes[..bytes.len() / 2]);
    let line = "links cut.warc --edges host --to csv -o t.csv --summary json";
    urimill(line).within(dir.path()).fails(3, &["cut.warc"]);
    assert_eq!(names(dir.path()), ["cut.warc"]);
    let done = urimill(&format!("{line} --on-damage keep")).within(dir.path()).go();
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    let summary: Value = serde_json::from_str(done.stderr.lines().next().expect("a line")).expect("JSON");
    assert_eq!(summary["damaged"].as_array().map(Vec::len), Some(1));
    assert!(summary["links"]["counted"].as_u64() > Some(100));
}
