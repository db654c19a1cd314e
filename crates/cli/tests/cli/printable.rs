//! Nothing that a file name, a record or an argument holds acts on a terminal or a log: control characters (C0, C1,
//! DEL), line ends and marks of direction are written out, in every message, summary and line of JSON.

use std::ffi::OsStr;

use super::run::{Done, Run, dir, urimill, write};
use urimill_testkit::with_signals::with_signals;

/// Each kind: an escape sequence, a line that nobody wrote, DEL, C1 (CSI in one character), a mark of direction, the
/// end of a line to some readers, a byte-order mark.
const HOSTILE: &str = "a\u{1b}]0;x\u{7}b\nurimill: all is well\rc\u{7f}d\u{9b}2Je\u{202e}f\u{2028}g\u{feff}h";

fn acts(c: char) -> bool {
    let is_control = c.is_control() && c != '\n';
    is_control
        || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{feff}".contains(c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// That what a run says can be shown, and names what it is about.
fn check(what: &str, said: &str) {
    assert!(!said.chars().any(acts), "{what}: {said:?}");
    assert!(!said.contains("\nurimill: all is well"), "{what}: {said:?}");
}

fn run(what: &str, run: Run) -> Done {
    let done = run.go();
    check(what, &done.stderr);
    check(what, done.text());
    done
}

/// A file with a hostile name and hostile records, and one with a plain name.
fn hostile() -> (tempfile::TempDir, String) {
    let dir = dir();
    let name = format!("{HOSTILE}.txt");
    let records =
        format!("http://h/\n{}\nhttp://h/\u{85}\u{202e}\n<http://h/x>\n", HOSTILE.replace('\n', "\t"));
    write(dir.path(), &name, &records);
    write(dir.path(), "plain.txt", records);
    (dir, name)
}

/// Commands that name a file, before its name.
const LINES: &[&str] = &[
    "normalize --summary text -o t.csv --force",
    "normalize --summary json -o t.csv --force",
    "normalize --summary text -o t/ --force",
    "normalize --summary json -o t.csv --force --rejects",
    "normalize --summary text -o t.csv --force --rejects",
    "normalize --summary json plain.txt --force -o",
    "normalize --summary text plain.txt --force --to csv -o",
    "normalize --summary none --to jsonl --columns +source",
    "normalize --on-invalid fail -o t.csv --force",
    "normalize --from heritrix -o t.csv --force",
    "normalize --from csv --uri-field nosuch -o t.csv --force",
    "normalize --psl",
    "normalize --from parquet -o t.csv --force --uri-field u",
    "normalize plain.txt -o",
    "dedupe --summary text -o d.csv --force",
    "dedupe --summary json -o d.csv --force",
    "dedupe --summary text plain.txt --force --to csv -o",
    "dedupe --temp-dir",
    "check",
    "check --to jsonl",
    "check --spec rfc2396,rfc3986",
    "check --spec rfc2396,rfc3986 --to jsonl",
    "extract --to jsonl",
    "extract plain.txt -o",
    "normalize no-such-file",
    "normalize --level",
    "normalize --columns",
    "normalize --canonical",
    "normalize --base",
    "normalize --partition-by",
    "normalize --sort-by",
    "normalize --nosuch",
    "man",
    "completions",
    "nosuch",
    "resolve x --base",
    "resolve --base http://h/",
    "relativize --base http://h/",
    "compare /a",
    "encode -c",
    "decode -c path",
    "explain",
    "explain --to json",
    "explain --repair",
    "explain /a --base",
];

#[test]
fn messages_summaries_and_answers() {
    let (dir, name) = hostile();
    for line in LINES {
        run(line, urimill(line).arg(&name).within(dir.path()));
        // Missing, with such a name.
        run(line, urimill(line).arg(format!("no{HOSTILE}")).within(dir.path()));
        let option = format!("--{HOSTILE}");
        run(line, urimill(line).arg(&option).within(dir.path()));
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            run(line, urimill(line).arg(OsStr::from_bytes(b"no\x1b\xff\n\x9b")).within(dir.path()));
        }
    }
}

#[test]
fn escaped_names_appear_in_messages() {
    let (dir, name) = hostile();
    let shown = r"a\u{1b}]0;x\u{7}b\nurimill: all is well\rc\u{7f}d\u{9b}2Je\u{202e}f\u{2028}g\u{feff}h.txt";
    let done = urimill("normalize -o t.csv").arg(&name).within(dir.path()).ok();
    assert!(done.stderr.contains(&format!("first in {shown}, record 2, byte 1: ")), "{}", done.stderr);
    urimill("normalize -o t.csv")
        .arg(format!("no{name}"))
        .within(dir.path())
        .fails(3, &[&format!("no{shown}")]);
    urimill("normalize plain.txt --rejects r.csv --to csv -o").arg("\u{9b}").within(dir.path()).ok();
    // JSON says the same to whoever reads it.
    let done = urimill("normalize -o t.csv --force --summary json").arg(&name).within(dir.path()).ok();
    assert!(done.stderr.contains(r"c\u007fd\u009b2Je\u202ef\u2028g\ufeffh.txt"), "{}", done.stderr);
    let example = &done.summary()["by_code"]["scheme_invalid_char"]["example"];
    assert_eq!(example["source"], name.as_str());
    assert_eq!(example["text"], HOSTILE.replace('\n', "\t"));
    // So do lines of a table.
    let done = urimill("normalize --to jsonl --columns uri,source").arg(&name).within(dir.path()).ok();
    let row: serde_json::Value =
        serde_json::from_str(done.text().lines().nth(1).expect("a row")).expect("JSON");
    assert_eq!(
        (row["uri"].as_str(), row["source"].as_str()),
        (Some(&*HOSTILE.replace('\n', "\t")), Some(&*name))
    );
}

#[test]
fn the_summary_beside_the_files() {
    let (dir, name) = hostile();
    urimill("normalize -o t/ --columns +source --partition-by source").arg(&name).within(dir.path()).ok();
    let beside = std::fs::read_to_string(dir.path().join("t/_summary.json")).expect("a summary");
    check("_summary.json", &beside);
    let json: serde_json::Value = serde_json::from_str(&beside).expect("JSON");
    assert_eq!(json["by_code"]["path_invalid_char"]["example"]["source"], name.as_str());
}

/// The contents of a table go to a file or a pipe as they are, and to a terminal escaped. `script` makes one.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_no_control_characters() {
    let (dir, _) = hostile();
    let script = |line: &str| {
        let mut command = with_signals("script");
        command.args(["-qec", &format!("{} {line}", env!("CARGO_BIN_EXE_urimill")), "/dev/null"]);
        let command = command.current_dir(dir.path()).env("NO_COLOR", "1").stdin(std::process::Stdio::null());
        let Ok(output) = command.stderr(std::process::Stdio::null()).output() else {
            eprintln!("skipped: there is no program `script`");
            return None;
        };
        // A terminal's own line ends.
        Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
    };
    for line in [
        "normalize --summary none --progress never plain.txt",
        "normalize --summary none --progress never --to csv --columns uri plain.txt",
        "normalize --summary none --progress never --to jsonl --columns uri plain.txt",
        "normalize --summary none --progress never --to csv --columns uri plain.txt -o /dev/tty",
        "dedupe --summary none --progress never plain.txt",
        "decode %1b%c2%9b%0d%ff",
    ] {
        let Some(shown) = script(line) else { return };
        // Tabs do no harm there.
        check(line, &shown.replace('\t', " "));
        assert!(shown.contains(r"\u{1b}") || shown.contains(r"\u001b"), "{line}: {shown:?}");
    }
    // Not so a pipe.
    let done = urimill("normalize --summary none plain.txt").within(dir.path()).ok();
    assert!(done.text().contains("a\u{1b}]0;x\u{7}b"));
}
