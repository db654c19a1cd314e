//! `--on-damage`: inputs that are truncated or damaged give their whole records, and the run reports the damage.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::run::{Done, dir, names, urimill, write};

fn list(from: usize, to: usize) -> String {
    (from..to).map(|n| format!("http://example.com/{n}?{:x}\n", n.wrapping_mul(0x9e37_79b9))).collect()
}

fn member(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("gzip");
    gzip.finish().expect("gzip")
}

/// The account, which a sentence follows.
fn summary(done: &Done) -> serde_json::Value {
    let account = done.stderr.lines().find(|line| line.starts_with('{')).expect("an account");
    serde_json::from_str(account).expect("JSON")
}

/// A file of four members with a bit turned in the second, one that is cut off, and one that is whole.
fn inputs(dir: &Path) {
    let members: Vec<Vec<u8>> = (0..4).map(|n| member(&list(n * 100, n * 100 + 100))).collect();
    let mut damaged = members.concat();
    damaged[members[0].len() + members[1].len() / 2] ^= 1;
    write(dir, "damaged.gz", damaged);
    let cut = member(&list(0, 2000));
    write(dir, "cut.gz", &cut[..cut.len() / 2]);
    write(dir, "whole.txt", "http://h/\nhttp://i/\n");
}

#[test]
fn by_default_damage_publishes_nothing() {
    let dir = dir();
    inputs(dir.path());
    let line = "normalize damaged.gz whole.txt -o t.csv";
    urimill(line)
        .within(dir.path())
        .fails(3, &["cannot read damaged.gz: the gzip stream is corrupt", "at byte"]);
    assert!(!names(dir.path()).contains(&"t.csv".to_owned()));
}

#[test]
fn what_was_whole_is_kept_and_the_exit_code_is_3() {
    let dir = dir();
    inputs(dir.path());
    // (option, lines of damaged.gz)
    for (choice, before, behind) in [("keep", 100, 0), ("skip", 100, 199)] {
        for command in ["normalize", "normalize --verify", "normalize --threads 2 --verify --chunk 4000"] {
            let line = format!(
                "{command} damaged.gz whole.txt -o t.csv --columns uri --on-damage {choice} --force --summary json"
            );
            let done = urimill(&line).within(dir.path()).go();
            assert_eq!(done.code, Some(3), "{line}: {}", done.stderr);
            let summary = summary(&done);
            let table = fs::read_to_string(dir.path().join("t.csv")).expect("a table");
            let mut expected = list(0, 100);
            if behind > 0 {
                expected += &list(201, 400);
            }
            assert_eq!(table, format!("uri\n{expected}http://h/\nhttp://i/\n"), "{line}");
            assert_eq!(summary["records"], before + behind + 2, "{line}: {summary}");
            let damage = &summary["damaged"][0];
            assert_eq!(damage["source"], "damaged.gz", "{line}");
            assert_eq!(damage["records_before"], before, "{line}");
            assert_eq!(damage["resumed_at"].is_null(), behind == 0, "{line}");
            assert!(done.stderr.contains("the rest was written"), "{line}: {}", done.stderr);
        }
    }
}

#[test]
fn a_truncated_file_is_named_in_the_summary() {
    let dir = dir();
    inputs(dir.path());
    for line in [
        "normalize cut.gz whole.txt -o t.csv --on-damage keep",
        "dedupe cut.gz whole.txt -o t.csv --on-damage keep --force",
        "dedupe cut.gz whole.txt -o t.csv --on-damage skip --force --verify",
    ] {
        let done = urimill(line).within(dir.path()).go();
        assert_eq!(done.code, Some(3), "{line}: {}", done.stderr);
        let said = done.stderr.lines().find(|line| line.starts_with("damaged: ")).expect(line);
        for part in ["cannot read cut.gz: the gzip stream is truncated at byte", "records before it kept"] {
            assert!(said.contains(part), "{line}: {said}");
        }
        let table = fs::read_to_string(dir.path().join("t.csv")).expect("a table");
        assert!(table.lines().count() > 500, "{line}: {} lines", table.lines().count());
        assert!(table.contains("http://h/"), "{line}: the next input is left out");
    }
    // Nothing is damaged, and nothing is reported.
    let done =
        urimill("normalize whole.txt -o u.csv --on-damage keep --summary json").within(dir.path()).ok();
    assert_eq!(done.summary()["damaged"], serde_json::json!([]));
}

#[test]
fn a_directory_has_it_in_its_account() {
    let dir = dir();
    inputs(dir.path());
    let done = urimill("normalize cut.gz -o t/ --to csv --on-damage keep").within(dir.path()).go();
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    let account = fs::read_to_string(dir.path().join("t/_summary.json")).expect("an account");
    let account: serde_json::Value = serde_json::from_str(&account).expect("JSON");
    assert_eq!(account["damaged"][0]["source"], "cut.gz");
    assert!(dir.path().join("t/_SUCCESS").exists());
}

#[test]
fn rows_of_a_damaged_table_are_kept() {
    let dir = dir();
    write(dir.path(), "list.txt", list(0, 60_000));
    urimill("normalize list.txt -o whole.arrows --columns uri").within(dir.path()).ok();
    let whole = fs::read(dir.path().join("whole.arrows")).expect("a table");
    write(dir.path(), "cut.arrows", &whole[..whole.len() * 3 / 4]);
    let line =
        "normalize --from arrow --uri-field uri cut.arrows whole.arrows -o t.csv --columns uri --keep none";
    urimill(line).within(dir.path()).fails(3, &["cut.arrows"]);
    let done = urimill(&format!("{line} --on-damage keep --summary json")).within(dir.path()).go();
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    let kept = summary(&done)["damaged"][0]["records_before"].as_u64().expect("a number") as usize;
    assert!((1..60_000).contains(&kept), "{kept} records");
    let table = fs::read_to_string(dir.path().join("t.csv")).expect("a table");
    assert_eq!(table, format!("uri\n{}{}", list(0, kept), list(0, 60_000)));
}

/// A CSV in members, in the records of which line ends stand between quotes, and lines that look like records.
fn csv_members() -> Vec<Vec<u8>> {
    let record = |n: usize| match n % 3 {
        0 => format!("{n},\"a\nb,c\n{n}\",http://h/{n}\n"),
        1 => format!("{n},x,http://h/{n}\n"),
        _ => format!("{n},\"say \"\"x\"\"\n\",http://h/{n}\n"),
    };
    let part = |from: usize| (from..from + 60).map(record).collect::<String>();
    // The members end in the midst of records, and of quotes.
    let text = format!("id,text,uri\n{}", part(0) + &part(60) + &part(120) + &part(180));
    let bytes = text.as_bytes();
    let cut = |at: usize| text[..at].rfind("\nb,c").expect("quotes") + 2;
    let (one, two, three) = (cut(bytes.len() / 4), cut(bytes.len() / 2), cut(bytes.len() * 3 / 4));
    [&text[..one], &text[one..two], &text[two..three], &text[three..]].map(member).into()
}

#[test]
fn csv_resumes_after_damage_where_the_field_counts_agree() {
    let dir = dir();
    let members = csv_members();
    let mut damaged = members.concat();
    damaged[members[0].len() + members[1].len() / 2] ^= 1;
    write(dir.path(), "a.csv.gz", &damaged);
    write(dir.path(), "whole.csv.gz", members.concat());
    let line = "normalize --from csv --uri-field uri --columns uri,id --on-damage skip --force -o t.csv --summary json";
    urimill(&format!("{line} whole.csv.gz")).within(dir.path()).ok();
    let whole = fs::read_to_string(dir.path().join("t.csv")).expect("a table");
    assert_eq!(whole.lines().count(), 241);
    for more in ["", "--chunk 100", "--verify --threads 2"] {
        let done = urimill(&format!("{line} {more} a.csv.gz")).within(dir.path()).go();
        assert_eq!(done.code, Some(3), "{more}: {}", done.stderr);
        let table = fs::read_to_string(dir.path().join("t.csv")).expect("a table");
        let found: Vec<_> = table.lines().collect();
        // Whole records alone, in order: most of those before and after the damaged member.
        let mut rest = whole.lines();
        assert!(found.iter().all(|row| rest.any(|own| own == *row)), "{more}: {table}");
        assert!(found.len() > 165 && found.len() < 185, "{more}: {} rows", found.len());
        assert!(found.last() == whole.lines().last().as_ref(), "{more}");
        assert!(!summary(&done)["damaged"][0]["resumed_at"].is_null(), "{more}");
        let left_out = summary(&done)["damaged"][0]["left_out_bytes"].as_u64();
        assert!(left_out.is_some_and(|left_out| left_out > 0), "{more}");
    }
    // If quotes are ordinary characters, a record is a line.
    let list = |from: usize| (from..from + 50).map(|n| format!("\"{n}\thttp://h/{n}\n")).collect::<String>();
    let members = [member(&format!("id\turi\n{}", list(0))), member(&list(50)), member(&list(100))];
    let mut damaged = members.concat();
    damaged[members[0].len() + members[1].len() / 2] ^= 1;
    write(dir.path(), "a.tsv.gz", &damaged);
    let line =
        "normalize a.tsv.gz --from tsv --no-quotes --uri-field uri --on-damage skip --columns uri -o u.csv";
    assert_eq!(urimill(line).within(dir.path()).go().code, Some(3));
    let table = fs::read_to_string(dir.path().join("u.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1 + 50 + 49, "{table}");
    // One field proves nothing: nothing follows.
    let one = |from: usize| (from..from + 50).map(|n| format!("http://h/{n}\n")).collect::<String>();
    let members = [member(&format!("uri\n{}", one(0))), member(&one(50)), member(&one(100))];
    let mut damaged = members.concat();
    damaged[members[0].len() + members[1].len() / 2] ^= 1;
    write(dir.path(), "b.csv.gz", &damaged);
    let line = "normalize b.csv.gz --from csv --uri-field uri --on-damage skip --columns uri -o v.csv";
    assert_eq!(urimill(line).within(dir.path()).go().code, Some(3));
    assert_eq!(fs::read_to_string(dir.path().join("v.csv")).expect("a table").lines().count(), 51);
}
