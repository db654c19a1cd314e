//! Distinct forms: the table equals that of a model that holds everything in memory and uses the calls for one URI,
//! whatever the memory, the threads, the chunks and the hashes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde_json::{Value, json};
use urimill::batch::{Reading, RfcOptions};
use urimill::dedupe::{self, Options, Rungs, Summary};
use urimill::normalize::{RepairOptions, repair_with};
use urimill::pipeline::Progress;
use urimill::read::{ChunkOptions, Chunker, Source};
use urimill::threads::Workers;
use urimill::write;
use urimill::write::{Format, SinkOptions, Target};
use urimill::{Level, Spec, UriRef, batch, normalize};

use super::{Rng, corpora, dataset};

/// The options of a run.
#[derive(Clone)]
struct How {
    records: batch::Options,
    memory: usize,
    threads: usize,
    chunk: usize,
    hash_bits: u32,
}

impl Default for How {
    fn default() -> How {
        How {
            records: batch::Options::default(),
            memory: 512 << 20,
            threads: 2,
            chunk: 1 << 20,
            hash_bits: 64,
        }
    }
}

impl How {
    fn read_by(rfc: RfcOptions) -> How {
        How {
            records: batch::Options { reading: Reading::Rfc(rfc), ..batch::Options::default() },
            ..How::default()
        }
    }
}

/// The table as JSON Lines, and the accounts. Each text is a source of its own, with its number as file name.
fn table(texts: &[&[u8]], how: &How) -> (Vec<u8>, Summary) {
    let dir = tempfile::tempdir().expect("a directory");
    let sources: Vec<_> = (0..texts.len()).map(|n| Source::File(dir.path().join(n.to_string()))).collect();
    for (n, text) in texts.iter().enumerate() {
        std::fs::write(dir.path().join(n.to_string()), text).expect("a file");
    }
    let chunks = ChunkOptions {
        chunk_bytes: how.chunk,
        max_record: how.records.max_record,
        keep_limit: Some(KEEP_LIMIT.max(how.records.max_record + 2)),
        ..ChunkOptions::default()
    };
    let chunker = Chunker::new(sources, chunks, Arc::new(AtomicU64::new(0)));
    let list = chunker.begin().expect("a list");
    let path = dir.path().join("out.jsonl");
    let target = Target::create(&path, false).expect("a target");
    let sink =
        write::create(Format::Jsonl, target, dedupe::schema(), &SinkOptions::default()).expect("a sink");
    let options = Options {
        key: dedupe::Key::Uri,
        records: how.records.clone(),
        memory: how.memory,
        temp_dir: dir.path().to_owned(),
        hash_bits: how.hash_bits,
    };
    let summary = dedupe::run(list, &options, &Workers::start(how.threads), sink, &Progress::default(), None)
        .expect("a table");
    let names: BTreeSet<_> = std::fs::read_dir(dir.path())
        .expect("a directory")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), texts.len() + 1, "temporary files are left: {names:?}");
    let bytes = std::fs::read(&path).expect("a file");
    let strip = format!("{}/", dir.path().display());
    (String::from_utf8(bytes).expect("UTF-8").replace(&strip, "").into_bytes(), summary)
}

/// The longest record that the tests keep whole, unless more is allowed.
const KEEP_LIMIT: usize = 4096;

fn rows(jsonl: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_reader(Cursor::new(jsonl))
        .into_iter()
        .map(|row| row.expect("JSON"))
        .collect()
}

/// A record in the model: its reject code, its normal form, and its forms from the text as read up.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CheckedBy {
    error: Option<String>,
    form: Vec<u8>,
    forms: Vec<Vec<u8>>,
}

fn judge(text: &[u8], options: &batch::Options) -> CheckedBy {
    let reject = |code: &str| CheckedBy { error: Some(code.to_owned()), form: text.to_vec(), forms: vec![] };
    if text.len() > options.max_record {
        return reject("too_long");
    }
    let is_prefixed = text.len() >= 4 && text[..4].eq_ignore_ascii_case(b"url:");
    let rfc = options.reading.rfc();
    let parsed = UriRef::parse_as(text, rfc.spec);
    let mut mended = text.to_vec();
    if rfc.repair && (parsed.is_err() || is_prefixed) {
        let how = RepairOptions::new().spec(rfc.spec);
        let candidate = repair_with(text, how).into_owned();
        if UriRef::parse_as(&candidate[..], rfc.spec).is_ok() {
            mended = candidate;
        }
    }
    // White space before a URI on a line of a list is not part of it.
    let text_without = text.trim_ascii_start();
    if UriRef::parse_as(&mended[..], rfc.spec).is_err() && UriRef::parse_as(text_without, rfc.spec).is_ok() {
        mended = text_without.to_vec();
    }
    match UriRef::parse_as(&mended[..], rfc.spec) {
        Err(fault) => reject(fault.code.as_str()),
        Ok(uri) => {
            let levels = Level::ALL.into_iter().filter(|&level| level <= rfc.level);
            let mut forms = vec![text.to_vec()];
            forms.extend(levels.map(|level| normalize(&uri, level).as_bytes().to_vec()));
            CheckedBy { error: None, form: forms[forms.len() - 1].clone(), forms }
        }
    }
}

/// The rungs by definition: two records that differ below one and are equal on it.
fn merged(group: &[&CheckedBy]) -> Option<String> {
    // The names of the steps between the forms: from the text as read to the repaired one, and up the ladder.
    const STEPS: [&str; 5] = ["repair", "case", "percent", "syntax", "scheme"];
    let mut names = Vec::new();
    let distinct: BTreeSet<_> = group.iter().collect();
    if distinct.len() < group.len() {
        names.push("identical");
    }
    for (step, name) in STEPS.iter().enumerate().take(group[0].forms.len().saturating_sub(1)) {
        let mut below: BTreeMap<&[u8], BTreeSet<&[u8]>> = BTreeMap::new();
        for judged in &distinct {
            below.entry(&judged.forms[step + 1]).or_default().insert(&judged.forms[step]);
        }
        if below.values().any(|forms| forms.len() > 1) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| names.join(","))
}

/// The table, from a map of all records.
fn model(texts: &[&[u8]], options: &batch::Options) -> Vec<Value> {
    type Key = (Option<String>, Vec<u8>, Option<(usize, usize)>);
    let mut groups: HashMap<Key, (Vec<CheckedBy>, (usize, usize))> = HashMap::new();
    for (source, text) in texts.iter().enumerate() {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        for (number, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
            let limit = KEEP_LIMIT.max(options.max_record + 2);
            let ended = line.strip_suffix(b"\n").unwrap_or(line);
            let is_cut = ended.len() > limit;
            let record =
                if line.len() > ended.len() { ended.strip_suffix(b"\r").unwrap_or(ended) } else { ended };
            if record.trim_ascii().is_empty() {
                continue;
            }
            let record = if is_cut { &ended[..limit] } else { record };
            let judged = judge(record, options);
            let position = (source, number + 1);
            let key = (judged.error.clone(), judged.form.clone(), is_cut.then_some(position));
            groups.entry(key).or_insert_with(|| (Vec::new(), position)).0.push(judged);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (_, position))| *position);
    let row = |((error, form, _), (group, (source, record))): &(Key, (Vec<CheckedBy>, (usize, usize)))| {
        let group: Vec<_> = group.iter().collect();
        let distinct = group.iter().collect::<BTreeSet<_>>().len();
        let text = String::from_utf8_lossy(form);
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        json!({
            "uri": text, "records": group.len(), "distinct": distinct, "merged": merged(&group),
            "first_record": record, "first_source": source.to_string(), "error": error,
            "raw_bytes": (text.as_bytes() != form).then(|| hex(form)),
        })
    };
    groups.iter().map(row).collect()
}

fn assert_is_model(texts: &[&[u8]], hows: &[How]) {
    let mut first: Option<(Vec<u8>, batch::Options)> = None;
    for how in hows {
        let (bytes, summary) = table(texts, how);
        let name = format!(
            "memory {}, {} threads, chunks of {}, {} bits, {:?}",
            how.memory, how.threads, how.chunk, how.hash_bits, how.records.reading
        );
        if let Some((same, _)) = first.as_ref().filter(|(_, records)| same_records(records, &how.records)) {
            assert!(*same == bytes, "{name}: other bytes than the run before");
            continue;
        }
        let expected = model(texts, &how.records);
        let found = rows(&bytes);
        for (found, expected) in found.iter().zip(&expected) {
            // Some texts are too long for a screen.
            assert!(found == expected, "{name}:\n{found:.2000}\n{expected:.2000}");
        }
        assert_eq!(found.len(), expected.len(), "{name}");
        assert_eq!(summary.rows, expected.len() as u64, "{name}");
        let rejects = expected.iter().filter(|row| !row["error"].is_null()).count();
        assert_eq!(summary.rejects, rejects as u64, "{name}");
        for (rows, (_, rung)) in summary.merged.iter().zip(Rungs::NAMES) {
            let has =
                |row: &&Value| row["merged"].as_str().is_some_and(|set| set.split(',').any(|n| n == rung));
            assert_eq!(*rows, expected.iter().filter(has).count() as u64, "{name}: {rung}");
        }
        first = Some((bytes, how.records.clone()));
    }
}

fn same_records(a: &batch::Options, b: &batch::Options) -> bool {
    (a.reading, a.max_record) == (b.reading, b.max_record)
}

/// (ways to write one URI, whether they are repaired, `records`, `distinct`, `merged`)
type Ways = (&'static [&'static str], bool, u64, u64, Option<&'static str>);

/// The table's columns for them at level scheme.
const RUNGS: &[Ways] = &[
    (&["http://a/"], false, 1, 1, None),
    (&["http://a/", "http://a/"], false, 2, 1, Some("identical")),
    (&["HTTP://a/", "http://A/"], false, 2, 2, Some("case")),
    (&["http://a/%2f", "http://a/%2F"], false, 2, 2, Some("case")),
    (&["http://a/%7Eb", "http://a/~b"], false, 2, 2, Some("percent")),
    // Hexadecimal digits in lower case: equal on the rung case, before anything is decoded.
    (&["http://a/%7eb", "http://a/%7Eb"], false, 2, 2, Some("case")),
    (&["http://a/%7eb", "http://a/~b"], false, 2, 2, Some("percent")),
    (&["http://a/b/../c", "http://a/c"], false, 2, 2, Some("syntax")),
    // `%2e` is a dot once it is decoded: then both are the same path.
    (&["http://a/%2E/c", "http://a/./c"], false, 2, 2, Some("percent")),
    (&["http://a/%2E/c", "http://a/c"], false, 2, 2, Some("syntax")),
    (&["http://a:80/", "http://a/"], false, 2, 2, Some("scheme")),
    (&["http://a", "http://a/"], false, 2, 2, Some("scheme")),
    (&["http://A:80", "http://a/", "http://a/"], false, 3, 2, Some("identical,scheme")),
    (&["http://A/", "http://a/", "http://a:80/", "http://A:80/"], false, 4, 4, Some("case,scheme")),
    (
        &["http://a/%41", "http://a/A", "http://A/%41", "http://a/b/../A"],
        false,
        4,
        4,
        Some("case,percent,syntax"),
    ),
    // No two are equal below the top, though each differs on several rungs.
    (&["HTTP://a/%41", "http://a:80/./A"], false, 2, 2, Some("scheme")),
    (&["<http://a/>", "http://a/"], true, 2, 2, Some("repair")),
    (&[" http://a/", "http://a/ ", "http://A/"], true, 3, 3, Some("repair,case")),
    (&["URL:http://a/", "http://a/", "http://a/"], true, 3, 2, Some("identical,repair")),
    (&["http://a/é", "http://a/%C3%A9", "http://a/%c3%a9"], true, 3, 3, Some("repair,case")),
    (&["mailto:a@B.com", "mailto:a@b.com"], false, 2, 2, Some("scheme")),
    (&["http://[::0:1]/", "http://[0:0::1]/"], false, 2, 2, Some("scheme")),
    (&["a b", "a b"], false, 2, 1, Some("identical")),
];

#[test]
fn a_row_names_the_rungs_that_merged_its_records() {
    for &(list, repair, records, distinct, merged) in RUNGS {
        let text = list.join("\n");
        let how = How::read_by(RfcOptions { repair, ..RfcOptions::default() });
        let (bytes, _) = table(&[text.as_bytes()], &how);
        let rows = rows(&bytes);
        assert_eq!(rows.len(), 1, "{list:?}: {rows:?}");
        let found = (&rows[0]["records"], &rows[0]["distinct"], &rows[0]["merged"]);
        assert_eq!(found, (&json!(records), &json!(distinct), &json!(merged)), "{list:?}");
        assert_is_model(&[text.as_bytes()], &[how]);
    }
}

#[test]
fn different_forms_have_their_own_rows() {
    // (the list, the forms in the order of their first records)
    let lists: &[(&str, &[&str])] = &[
        ("http://b/\nhttp://a/\nHTTP://b\n", &["http://b/", "http://a/"]),
        ("http://h/?\nhttp://h/\nhttp://h/#\n", &["http://h/?", "http://h/", "http://h/#"]),
        ("http://a/A\nhttp://a/a\n", &["http://a/A", "http://a/a"]),
        ("http://a/%2F\nhttp://a//\n", &["http://a/%2F", "http://a//"]),
        // A reject has no normal form: rejects are equal if their texts are.
        ("HTTP://a/ b\nhttp://a/ b\n", &["HTTP://a/ b", "http://a/ b"]),
        ("\n\n", &[]),
        ("", &[]),
    ];
    for (list, expected) in lists {
        let (bytes, summary) = table(&[list.as_bytes()], &How::default());
        let found: Vec<_> =
            rows(&bytes).iter().map(|row| row["uri"].as_str().expect("text").to_owned()).collect();
        assert_eq!(found, *expected, "{list:?}");
        assert_eq!(summary.spilled, 0);
    }
}

/// Memory from none to plenty. The first values write every batch to disk and merge in many passes.
const MEMORY: [usize; 5] = [1, 10_000, 300_000, 3 << 20, 512 << 20];

/// A list with few forms and many ways to write each.
fn variations(seed: u64, lines: usize) -> Vec<u8> {
    let mut rng = Rng(seed);
    let mut text = Vec::new();
    for _ in 0..lines {
        let n = rng.below(40) * rng.below(40);
        let pick = |rng: &mut Rng, ways: &[&str]| ways[rng.below(ways.len())].to_owned();
        let scheme = pick(&mut rng, &["http", "http", "HTTP", "Http", " http"]);
        let host = pick(&mut rng, &["h.example", "h.example", "H.example", "h.Example", "%68.example"]);
        let port = pick(&mut rng, &["", "", ":80", ":", ":080", ":8080"]);
        let dots = pick(&mut rng, &["", "", "/.", "/%2E", "/%2e", "/x/.."]);
        let triplet = pick(&mut rng, &["~", "~", "%7E", "%7e", "%2f", "%2F", "\u{e9}", "%"]);
        text.extend_from_slice(format!("{scheme}://{host}{port}{dots}/{n}{triplet}").as_bytes());
        text.extend_from_slice([&b"\n"[..], b"\n", b"\n", b"\r\n", b"\xff\n", b"\n\n"][rng.below(6)]);
    }
    text
}

#[test]
fn every_memory_limit_matches_the_model() {
    let lists = [variations(1, 3000), variations(2, 200), dataset("oddities.txt")];
    let texts: Vec<&[u8]> = lists.iter().map(Vec::as_slice).collect();
    for (level, repair) in
        [(Level::Scheme, true), (Level::Scheme, false), (Level::Percent, true), (Level::None, true)]
    {
        let how = How::read_by(RfcOptions { level, repair, ..RfcOptions::default() });
        let mut hows = Vec::new();
        for memory in MEMORY {
            for (threads, chunk) in [(1, 1 << 20), (2, 700), (4, 5000)] {
                hows.push(How { memory, threads, chunk, ..how.clone() });
            }
        }
        assert_is_model(&texts, &hows);
    }
    let (_, summary) = table(&texts, &How { memory: 1, ..How::default() });
    assert!(summary.spilled > 0);
    assert_eq!(table(&texts, &How::default()).1.spilled, 0);
}

#[test]
fn every_specification_and_level_matches_the_model() {
    let text = variations(3, 600);
    for spec in Spec::ALL {
        for level in Level::ALL {
            let rfc = RfcOptions { spec, level, ..RfcOptions::default() };
            let how = How { chunk: 1000, ..How::read_by(rfc) };
            assert_is_model(&[&text], &[How { memory: 10_000, ..how.clone() }, how]);
        }
    }
}

#[test]
fn equal_hashes_do_not_merge_different_texts() {
    let text = variations(4, 1500);
    for hash_bits in [0, 1, 5, 40] {
        for memory in [1, 100_000, 512 << 20] {
            assert_is_model(&[&text], &[How { hash_bits, memory, chunk: 4000, ..How::default() }]);
        }
    }
}

#[test]
fn a_group_with_many_spellings_spills_like_others() {
    // Each letter of a path in two cases: one normal form, 2^13 texts.
    let mut text = Vec::new();
    for n in 0..1 << 13 {
        let letters = |bit: u32| if n >> bit & 1 == 0 { "%61" } else { "a" };
        let path: String = (0..13).map(letters).collect();
        text.extend_from_slice(format!("http://example.com/{path}\n").as_bytes());
    }
    let how = |memory| How { memory, chunk: 30_000, ..How::default() };
    assert_is_model(&[&text, &text], &[how(512 << 20), how(100_000), how(2 << 20)]);
    let (bytes, summary) = table(&[&text, &text], &how(100_000));
    assert!(summary.spilled > 0);
    let rows = rows(&bytes);
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0]["records"], &rows[0]["distinct"]), (&json!(1 << 14), &json!(1 << 13)));
    assert_eq!(rows[0]["merged"], "identical,percent");
}

#[test]
fn long_records_are_compared_whole_or_not_at_all() {
    let line = |len: usize, end: &str| format!("http://example.com/{}{end}\n", "x".repeat(len));
    // Longer than the limit, but kept whole: equal if they are equal to the end.
    let whole = [line(2000, "a"), line(2000, "a"), line(2000, "b"), line(500, "a"), line(500, "a")].concat();
    // The ends of the long ones are not kept, so nobody knows whether they are equal.
    let cut = [line(9000, "a"), line(9000, "a"), line(9000, "b"), line(500, "a")].concat();
    let records = batch::Options { max_record: 1000, ..batch::Options::default() };
    for memory in MEMORY {
        let how = How { records: records.clone(), memory, chunk: 600, ..How::default() };
        assert_is_model(&[whole.as_bytes(), cut.as_bytes()], std::slice::from_ref(&how));
        let (bytes, summary) = table(&[whole.as_bytes(), cut.as_bytes()], &how);
        let counts: Vec<_> =
            rows(&bytes).iter().map(|row| row["records"].as_u64().expect("a number")).collect();
        assert_eq!((counts, summary.read.cut), (vec![2, 1, 3, 1, 1, 1], 3));
    }
    // Larger than any block, in memory and on disk.
    let large = [line(600_000, "%41"), line(600_000, "A"), line(600_000, "B")].concat();
    assert_is_model(
        &[large.as_bytes()],
        &[1, 3 << 20, 512 << 20].map(|memory| How { memory, ..How::default() }),
    );
}

#[test]
fn a_limit_on_records_above_the_largest_is_refused() {
    let chunker = Chunker::from_reader(
        "nothing",
        Box::new(std::io::empty()),
        ChunkOptions::default(),
        Arc::new(AtomicU64::new(0)),
    );
    let target = Target::stdout().expect("standard output");
    let sink =
        write::create(Format::Uris, target, dedupe::schema(), &SinkOptions::default()).expect("a sink");
    let records = batch::Options { max_record: dedupe::MAX_RECORD + 1, ..batch::Options::default() };
    let options = Options { records, ..Options::default() };
    let error = dedupe::run(
        chunker.begin().expect("a list"),
        &options,
        &Workers::default(),
        sink,
        &Progress::default(),
        None,
    )
    .expect_err("too long");
    assert_eq!(error.kind(), urimill::ErrorKind::Usage);
}

#[test]
fn real_lists_match_the_model() {
    for path in corpora() {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let how = How::read_by(RfcOptions { repair: true, ..RfcOptions::default() });
        let small = How { memory: 2 << 20, chunk: 100_000, ..how.clone() };
        assert_is_model(&[&text], &[how, small]);
    }
}
