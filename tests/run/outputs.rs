//! The outputs of a run with many options, and its statistics.

use std::fs;
use std::io::Write;

use urimill::canonical::Canonical;
use urimill::run::{
    Check, Compression, Conversion, Dedupe, Finding, FindingKind, InputFormat, Keep, NormalizeOptions,
    OnDamage, OnInvalid, Output, RunProgress, TableSchema, Verified,
};
use urimill::{Code, ErrorKind, Level, Spec};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn the_statistics_add_up() {
    let folder = folder();
    let (list, table, rejects) =
        (folder.path().join("in.txt"), folder.path().join("t.parquet"), folder.path().join("bad.jsonl"));
    fs::write(&list, "HTTP://b.example/\n\nhttp://a.example/\n/a b\n%zz\n").expect("a file");
    let stats = Conversion::new()
        .inputs([&list])
        .format(InputFormat::Lines)
        .normalize(NormalizeOptions::new().level(Level::Case).repair(true).spec(Spec::Rfc3986))
        .columns(["+surt"])
        .sort_by(["surt"])
        .rejects(&rejects)
        .verify(true)
        .threads(2)
        .memory(64 << 20)
        .write_to(Output::to(&table).compression(Compression::Snappy).row_group_rows(2))
        .run()
        .expect("statistics");
    assert_eq!((stats.lines, stats.records, stats.blank), (5, 4, 1));
    assert_eq!((stats.valid, stats.rejects, stats.rows, stats.repaired), (4, 0, 4, 2));
    assert_eq!(stats.verified, Some(Verified::Records));
    assert_eq!(
        (stats.input_format, stats.is_detected, stats.reading.rfc().level),
        ("lines", false, Level::Case)
    );
    assert_eq!(stats.output.bytes, fs::metadata(&table).expect("a table").len());
    assert_eq!(stats.stored_bytes, fs::metadata(&list).expect("a list").len());
    assert_eq!(stats.rejects_output.as_ref().map(|rejects| rejects.rows), Some(0));
    assert_eq!(stats.to_json()["records"], 4);
}

#[test]
fn stages_are_timed_where_that_is_asked_for() {
    const PARQUET: &[&str] = &["row groups", "uri", "host", "port", "file"];
    const DIRECTORY: &[&str] = &["partitions", "row groups", "uri", "host", "port", "file", "files"];
    const WITH_REJECTS: &[&str] = &["row groups", "uri", "host", "port", "file", "rejects: output"];
    // (output, sort key, whether rejects have a table, the ordered stages of the sinks)
    let cases: &[(&str, Option<&str>, bool, &[&str])] = &[
        ("t.parquet", None, false, PARQUET),
        ("t.csv", None, false, &["output"]),
        ("t/", None, false, DIRECTORY),
        ("t.parquet", None, true, WITH_REJECTS),
        ("t.parquet", Some("uri"), false, &["order"]),
    ];
    for &(output, key, has_rejects, ordered) in cases {
        let folder = folder();
        let list = folder.path().join("in.txt");
        fs::write(&list, "HTTP://b.example:8/a\nhttp://a.example/\n".repeat(2_000)).expect("a file");
        let run = |threads, time_stages| {
            let path = format!("{}/{threads}{time_stages}-{output}", folder.path().display());
            let mut run = Conversion::new()
                .inputs([&list])
                .columns(["uri", "host", "port"])
                .threads(threads)
                .chunk(4 << 10)
                .time_stages(time_stages)
                .write_to(Output::to(path));
            if let Some(key) = key {
                run = run.sort_by([key]);
            }
            if has_rejects {
                run = run.rejects(folder.path().join(format!("{threads}{time_stages}-bad.csv")));
            }
            run.run().expect("statistics")
        };
        for threads in [1, 3] {
            let begun = std::time::Instant::now();
            let stats = run(threads, true);
            let lives = begun.elapsed() * threads as u32;
            let names: Vec<_> = stats.stages.iter().map(|stage| (&*stage.name, stage.is_ordered)).collect();
            let sinks = ordered.iter().map(|name| (*name, true));
            let expected = [("begin", true), ("source", true), ("workers", false)].into_iter().chain(sinks);
            assert_eq!(names, expected.chain([("end", true)]).collect::<Vec<_>>(), "{output}");
            let all: std::time::Duration = stats.stages.iter().map(|stage| stage.busy + stage.waited).sum();
            assert!(all <= lives, "{output}, {threads} threads: {all:?} of {lives:?}");
            // A single thread spends its time in these stages only.
            assert!(threads > 1 || all >= stats.time, "{output}: {all:?} of {:?}", stats.time);
            let steps = |name: &str| {
                let stage = stats.stages.iter().find(|stage| stage.name == name).expect("the stage");
                assert_eq!(stage.busy, stage.steps.iter().map(|(_, time)| *time).sum(), "{output}, {name}");
                stage.steps.iter().map(|(step, _)| *step).collect::<Vec<_>>()
            };
            assert!(steps("source").contains(&"read"), "{output}");
            assert!(["split", "slow_path", "columns"].iter().all(|step| steps("workers").contains(step)));
            assert!(steps("end").contains(&"sync"), "{output}");
            assert_eq!(stats.to_json()["stages"][0]["name"], "begin");
        }
        let stats = run(2, false);
        assert!(stats.stages.is_empty() && stats.to_json().get("stages").is_none(), "{output}");
    }
}

#[test]
fn rejects_are_counted_by_code_and_may_end_the_run() {
    let folder = folder();
    let (list, table) = (folder.path().join("in.txt"), folder.path().join("t.csv"));
    fs::write(&list, "/a b\n/c d\n%\n").expect("a file");
    let run = || Conversion::new().inputs([&list]).format(InputFormat::Lines).write_to(Output::to(&table));
    let error = run().on_invalid(OnInvalid::Fail).run().expect_err("an invalid record");
    assert_eq!(error.kind(), ErrorKind::InvalidRecord, "{error}");
    assert!(!table.exists());
    let stats = run().on_invalid(OnInvalid::Keep).run().expect("statistics");
    let codes: Vec<_> = stats.by_code.iter().map(|code| (code.code, code.records)).collect();
    assert_eq!(codes, [(Code::PathInvalidChar, 2), (Code::PercentTruncated, 1)]);
    assert_eq!(stats.by_code[0].example.as_ref().map(|example| example.record), Some(1));
    let error = run().on_invalid(OnInvalid::Keep).run().expect_err("it exists");
    assert_eq!(
        error.to_string(),
        format!("cannot write {}: it exists; give force to replace it", table.display())
    );
    run().on_invalid(OnInvalid::Keep).write_to(Output::csv(&table).force(true)).run().expect("replaced");
}

#[test]
fn a_directory_has_its_files_in_the_statistics() {
    let folder = folder();
    let (list, table) = (folder.path().join("in.csv"), folder.path().join("table"));
    fs::write(&list, "url,n\nhttp://a/,1\nftp://b/,2\nhttp://c/,3\n").expect("a file");
    let stats = Conversion::new()
        .inputs([&list])
        .uri_field("url")
        .keep(Keep::All)
        .normalize(NormalizeOptions::new().canonical(Canonical::W3lib).drop_tracking(true))
        .partition_by(["scheme"])
        .file_size(1 << 20)
        .write_to(Output::csv(&table).csv_safe(true))
        .run()
        .expect("statistics");
    let files = stats.output.files.as_ref().expect("files");
    let files: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.rows)).collect();
    assert_eq!(files, [("scheme=ftp/part-00000.csv", 1), ("scheme=http/part-00000.csv", 2)]);
    assert_eq!((stats.output.partitions, stats.input_format, stats.is_detected), (2, "csv", true));
    assert!(table.join("_SUCCESS").exists() && table.join("_summary.json").exists());
}

#[test]
fn common_crawls_table_and_damaged_inputs() {
    let folder = folder();
    let (log, table) = (folder.path().join("in.gz"), folder.path().join("t.parquet"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all("http://example.com/\n".repeat(1000).as_bytes()).expect("gzip");
    let mut bytes = gzip.finish().expect("gzip");
    bytes.truncate(bytes.len() - 4);
    fs::write(&log, &bytes).expect("a file");
    let run = || {
        let run = Conversion::new().inputs([&log]).format(InputFormat::Lines).write_to(Output::to(&table));
        run.schema(TableSchema::CcIndex).fill(true).crawl("CC-TEST")
    };
    let error = run().run().expect_err("it is truncated");
    assert_eq!(error.kind(), ErrorKind::Data, "{error}");
    let stats = run().on_damage(OnDamage::Keep).run().expect("statistics");
    assert_eq!((stats.records, stats.damaged.len(), stats.reading.rfc().level), (1000, 1, Level::None));
}

#[test]
fn distinct_forms_are_counted() {
    let folder = folder();
    let (list, table) = (folder.path().join("in.txt"), folder.path().join("t.csv"));
    fs::write(&list, "http://a/\nHTTP://A/\n/a b\n").expect("a file");
    let stats = Dedupe::new()
        .inputs([&list])
        .normalize(NormalizeOptions::new().level(Level::Case))
        .verify(true)
        .write_to(Output::to(&table))
        .run()
        .expect("statistics");
    let distinct = stats.distinct.as_ref().expect("a section");
    assert_eq!((stats.records, stats.rejects, stats.rows, distinct.reject_rows), (3, 1, 2, 1));
    assert!(stats.verified.is_some() && distinct.merged.contains(&("case", 1)));
    assert_eq!(stats.output.bytes, fs::metadata(&table).expect("a table").len());
}

#[test]
fn an_abandoned_run_leaves_nothing_and_others_go_on() {
    let folder = folder();
    let (list, tables) =
        (folder.path().join("in.txt"), ["a.csv", "b.csv"].map(|name| folder.path().join(name)));
    fs::write(&list, "http://a/\n").expect("a file");
    let progress = [RunProgress::default(), RunProgress::default()];
    let prepared = [0, 1].map(|i| {
        let run = Conversion::new().inputs([&list]).write_to(Output::to(&tables[i])).progress(&progress[i]);
        run.prepare().expect("a run that can begin")
    });
    let names = || fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names(), 3, "the list, and a temporary file for each");
    assert!(!progress[0].abandon(), "nothing was published");
    assert_eq!(names(), 2);
    let [abandoned, other] = prepared;
    assert_eq!(abandoned.run().expect_err("abandoned").kind(), ErrorKind::Stopped);
    other.run().expect("statistics");
    assert!(!tables[0].exists() && tables[1].exists() && progress[1].abandon());
}

#[test]
fn findings_come_in_the_order_of_the_input() {
    let folder = folder();
    let list = folder.path().join("in.txt");
    let lines: String = (0..2000).map(|number| format!("/{number}\n/a b\n")).collect();
    fs::write(&list, lines).expect("a file");
    let render = |finding: &Finding<'_>, page: &mut Vec<u8>| {
        let code = match &finding.kind {
            FindingKind::Reject(fault) => fault.reject.code.as_str(),
            _ => "",
        };
        page.extend_from_slice(format!("{} {code}\n", finding.record).as_bytes());
    };
    let mut found = Vec::new();
    let check = Check::new().inputs([&list]).threads(3).chunk(100);
    let stats = check
        .run(render, |page| {
            found.extend_from_slice(page);
            Ok(())
        })
        .expect("statistics");
    assert_eq!((stats.records, stats.found), (4000, 2000));
    let expected: String = (1..=2000).map(|number| format!("{} path_invalid_char\n", number * 2)).collect();
    assert_eq!(String::from_utf8(found).expect("UTF-8"), expected);
}
