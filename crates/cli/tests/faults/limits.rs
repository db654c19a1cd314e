//! Disks that are really full: a limit on the size of files, which the system enforces by a signal, and a file system
//! of one mebibyte.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::place::{Place, RUNS, Tree, alone};

/// The runs of the other tests, and some more, with `--verify` and large rejects among them.
fn lines() -> impl Iterator<Item = (&'static str, String)> {
    let more = [
        ("verified", "normalize IN/few.txt -o OUT/t.parquet --verify"),
        (
            "large rejects",
            "normalize IN/few.txt -o OUT/t.txt --rejects OUT/bad.jsonl --base-field 1 --from csv --uri-field 9 --on-invalid reject",
        ),
        ("sorted by parts", "normalize IN/few.txt -o OUT/t/ --partition-by scheme --sort-by uri --to arrow"),
        ("distinct as Parquet", "dedupe IN/few.txt -o OUT/t.parquet"),
    ];
    RUNS.into_iter().chain(more).map(|(name, line)| (name, line.to_owned()))
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// One sentence, with the path of what could not be written.
fn is_sentence(said: &str, root: &str, part: &str, what: &str) {
    let sentence = said.strip_suffix('\n').unwrap_or_else(|| panic!("{what}: {said:?}"));
    assert!(sentence.starts_with("urimill: ") && !sentence.contains('\n'), "{what}: {sentence}");
    assert!(sentence.contains(root) && sentence.contains(part), "{what}: {sentence}");
}

/// With each of these limits, in KiB, until one is enough.
fn with_limits(limits: impl Fn() -> Box<dyn Iterator<Item = usize>>) {
    let _alone = alone();
    let mut failed = 0;
    for (name, line) in lines() {
        let place = Place::new(&line);
        for kilobytes in limits() {
            let with_old = kilobytes % 2 == 0;
            place.reset(with_old);
            let mut command = Command::new("bash");
            let script = format!("ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
            command.args(["-c", &script, env!("CARGO_BIN_EXE_urimill")]).args(&place.line(with_old)[1..]);
            let output = command.stdin(Stdio::null()).output().expect("urimill ends");
            let what = format!("{name}, files of {kilobytes} KiB");
            let left = place.check(with_old, &what);
            assert_eq!(left, [""; 0], "{what}");
            if output.status.code() == Some(0) {
                assert!(place.tree() == place.new, "{what}");
                break;
            }
            failed += 1;
            assert_eq!(output.status.code(), Some(3), "{what}: {output:?}");
            let before = if with_old { place.old.clone() } else { Tree::new() };
            assert!(place.tree() == before, "{what}: something was published");
            // Errors of temporary files have words of their own.
            let part = if said(&output).contains("temporary files") {
                "there is no space for them"
            } else {
                "ulimit -f"
            };
            is_sentence(&said(&output), place.root(), part, &what);
        }
    }
    println!("{failed} runs met the limit");
    assert!(failed > 20, "{failed}");
}

#[test]
fn files_may_not_be_large() {
    with_limits(|| Box::new([0, 1, 7, 40, 300, 100_000].into_iter()));
}

#[test]
#[ignore = "a minute or two: many more limits"]
fn files_may_have_any_size() {
    with_limits(|| Box::new((0..40).chain((40..400).step_by(9)).chain((400..).step_by(400))));
}

#[test]
fn standard_output_may_not_be_large() {
    let dir = tempfile::tempdir().expect("a directory");
    let input = dir.path().join("in.txt");
    std::fs::write(&input, "http://example.com/a/b?c\n".repeat(4000)).expect("a file");
    for format in ["parquet --compression none", "arrow", "arrow-stream", "csv", "jsonl", "uris"] {
        let script =
            format!("ulimit -f 2; exec \"$0\" normalize \"$1\" --columns record,uri --to {format} > \"$2\"");
        let mut command = Command::new("bash");
        let script = if format == "uris" { script.replace("--columns record,uri", "") } else { script };
        command.args(["-c", &script, env!("CARGO_BIN_EXE_urimill")]).arg(&input).arg(dir.path().join("out"));
        let output = command.output().expect("urimill ends");
        assert_eq!(output.status.code(), Some(3), "{format}: {output:?}");
        is_sentence(&said(&output), "standard output", "ulimit -f", format);
    }
}

/// Runs a line where a directory is a file system of a mebibyte; what is in the directory at the end comes from
/// standard output. `None` where nobody may mount anything.
fn mounted(directory: &Path, words: &[&str]) -> Option<Output> {
    const REFUSED: i32 = 77;
    let script = format!(
        "mount -t tmpfs -o size=1m none \"$0\" || exit {REFUSED}; \"$@\"; code=$?; find \"$0\" -mindepth 1; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "bash", "-c", &script]).arg(directory);
    let output = command.arg(env!("CARGO_BIN_EXE_urimill")).args(words).stdin(Stdio::null()).output().ok()?;
    match output.status.code() {
        Some(REFUSED) => None,
        // `unshare` itself.
        Some(1) if said(&output).starts_with("unshare") => None,
        _ => Some(output),
    }
}

#[test]
fn a_disk_of_one_mebibyte() {
    let _alone = alone();
    let mut failed = 0;
    for (name, line) in RUNS {
        // A sorted table compresses well, and needs its space for temporary files.
        let uses_temp = line.contains("TEMP");
        let line = line
            .replace("few.txt", "many.txt")
            .replace("some.txt", "many.txt")
            .replace("many.txt.gz", "many.txt")
            .replace("few.parquet", "many.txt");
        let line = line.replace("--from parquet --uri-field uri", "--compression none");
        let line = if line.contains(".parquet") { format!("{line} --columns +source") } else { line };
        let place = Place::new(&line);
        let root = Path::new(place.root());
        place.reset(false);
        let directory = root.join(if uses_temp { "temp" } else { "out" });
        let Some(output) = mounted(&directory, &place.line(false)[1..]) else {
            println!("skipped: nothing may be mounted here");
            return;
        };
        let what = format!("{name} within a mebibyte");
        if output.status.code() == Some(0) {
            continue;
        }
        failed += 1;
        assert_eq!(output.status.code(), Some(3), "{what}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{what}: something is left");
        let part = if uses_temp { "there is no space for them" } else { "no space is left on the device" };
        is_sentence(&said(&output), place.root(), part, &what);
        assert!(place.tree().is_empty(), "{what}");
    }
    println!("{failed} runs met the end of the disk");
    assert!(failed >= 8, "{failed}");
}
