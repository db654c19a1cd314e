//! Several inputs, patterns, compression, and inputs that cannot be read.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::run::{dir, urimill, write};
use super::table::jsonl;

fn compressed(text: &[u8]) -> [(&'static str, Vec<u8>); 4] {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text).expect("gzip");
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(text).expect("bzip2");
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(text).expect("xz");
    // Without its checksum a frame can be corrupt and decode to something else.
    let mut zstd = zstd::Encoder::new(Vec::new(), 1).expect("zstd");
    zstd.include_checksum(true).expect("zstd");
    zstd.write_all(text).expect("zstd");
    [
        ("gzip", gzip.finish().expect("gzip")),
        ("zstd", zstd.finish().expect("zstd")),
        ("bzip2", bzip2.finish().expect("bzip2")),
        ("xz", xz.finish().expect("xz")),
    ]
}

fn list(from: usize, to: usize) -> String {
    (from..to).map(|n| format!("http://example.com/{n}?{:x}\n", n.wrapping_mul(0x9e37_79b9))).collect()
}

#[test]
fn record_numbers_restart_with_each_source() {
    let dir = dir();
    write(dir.path(), "one.txt", "http://a/\n\nb");
    write(dir.path(), "two.txt", "\u{feff}http://c/\r\n");
    let done = urimill("normalize --to jsonl --columns source,record,offset,uri one.txt - two.txt one.txt")
        .within(dir.path())
        .stdin("\n\nhttp://in/")
        .ok();
    let rows: Vec<_> = jsonl(&done.stdout).into_iter().map(|row| Value::from(row).to_string()).collect();
    let row = |source: &str, record: u32, offset: u32, uri: &str| {
        serde_json::json!({ "source": source, "record": record, "offset": offset, "uri": uri }).to_string()
    };
    let expected = [
        row("one.txt", 1, 0, "http://a/"),
        row("one.txt", 3, 11, "b"),
        row("standard input", 3, 2, "http://in/"),
        row("two.txt", 1, 3, "http://c/"),
        row("one.txt", 1, 0, "http://a/"),
        row("one.txt", 3, 11, "b"),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn patterns_stand_for_sorted_files() {
    let dir = dir();
    for name in ["b.log", "a.log", "c.txt", ".d.log", "e[1].log"] {
        write(dir.path(), name, format!("{name}\n"));
    }
    std::fs::create_dir(dir.path().join("f.log")).expect("a directory");
    // (input, lines: the files by their content)
    let patterns: &[(&str, &[&str])] = &[
        ("*.log", &["a.log", "b.log", "e[1].log"]),
        ("[ab].log", &["a.log", "b.log"]),
        ("?.txt", &["c.txt"]),
        ("e[1].log", &["e[1].log"]),
        (".*.log", &[".d.log"]),
    ];
    for (pattern, files) in patterns {
        let done = urimill("normalize --repair").arg(pattern).within(dir.path()).ok();
        let expected = files.iter().map(|f| f.replace('[', "%5B").replace(']', "%5D")).collect::<Vec<_>>();
        assert_eq!(done.text().lines().collect::<Vec<_>>(), expected, "{pattern}");
    }
}

#[test]
fn compression_is_seen_from_the_first_bytes() {
    let dir = dir();
    let text = list(0, 3000);
    for (format, bytes) in compressed(text.as_bytes()) {
        // The name shows nothing, or the wrong thing.
        write(dir.path(), "input.txt", &bytes);
        let done = urimill("normalize --summary json input.txt --chunk 10000").within(dir.path()).ok();
        assert_eq!(done.text(), text, "{format}");
        let summary = done.summary();
        assert_eq!((&summary["bytes"], &summary["stored_bytes"]), (&text.len().into(), &bytes.len().into()));
        assert_eq!(urimill("normalize").stdin(&bytes).ok().text(), text, "{format} on standard input");
        let twice = [bytes.as_slice(), &bytes].concat();
        assert_eq!(urimill("normalize").stdin(&twice).ok().text(), text.repeat(2), "{format}, two members");
    }
}

#[test]
fn damaged_compression_names_file_and_byte_and_publishes_nothing() {
    let dir = dir();
    let text = list(0, 3000);
    for (format, bytes) in compressed(text.as_bytes()) {
        let half = bytes.len() / 2;
        let mut corrupt = bytes.clone();
        corrupt[half..half + 40].iter_mut().for_each(|b| *b ^= 0x55);
        let followed = [bytes.as_slice(), b"not compressed"].concat();
        let damages = [("truncated", &bytes[..half]), ("corrupt", &corrupt), ("followed", &followed)];
        for (damage, stored) in damages {
            write(dir.path(), "damaged", stored);
            let run = urimill("normalize damaged -o out.parquet").within(dir.path());
            run.fails(3, &["cannot read damaged", &format!("the {format} stream is "), damage, "at byte "]);
            assert_eq!(super::run::names(dir.path()), ["damaged"], "{format}, {damage}");
        }
        write(dir.path(), "damaged", &bytes[..half]);
        let truncated = format!("at byte {half}");
        if format != "zstd" {
            urimill("normalize damaged -o out.csv").within(dir.path()).fails(3, &[&truncated]);
        }
    }
}

#[test]
fn what_cannot_be_read_is_one_sentence() {
    let dir = dir();
    std::fs::create_dir(dir.path().join("logs")).expect("a directory");
    write(dir.path(), "there.txt", "http://a/\n");
    // (input, exit code, what the sentence has in it)
    let inputs: &[(&str, i32, &[&str])] = &[
        ("nosuch.txt", 3, &["cannot read nosuch.txt", "no such file"]),
        ("nosuch/x", 3, &["cannot read nosuch/x", "no such file"]),
        ("there.txt/x", 3, &["there.txt/x"]),
        ("*.gz", 3, &["*.gz", "no file matches"]),
        ("logs", 2, &["cannot read logs", "directory", "logs/*"]),
        ("", 2, &["empty name"]),
        ("\u{1b}[31mred", 2, &["\\u{1b}[31mred"]),
    ];
    for (input, code, parts) in inputs {
        let run = urimill("normalize -o out.csv there.txt").arg(input).within(dir.path());
        run.fails(*code, parts);
        assert_eq!(super::run::names(dir.path()), ["logs", "there.txt"], "{input:?}");
    }
}

#[test]
#[cfg(unix)]
fn an_unreadable_file_is_one_sentence() {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir();
    write(dir.path(), "secret.txt", "http://a/\n");
    let path = dir.path().join("secret.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("permissions");
    // The superuser may read everything.
    if std::fs::File::open(&path).is_err() {
        let run = urimill("normalize secret.txt").within(dir.path());
        run.fails(3, &["cannot read secret.txt", "ermission denied"]);
    }
    // Opening succeeds, reading fails: for every user.
    if Path::new("/proc/self/mem").exists() {
        urimill("normalize /proc/self/mem").fails(3, &["cannot read /proc/self/mem"]);
    }
}

/// Every name that a pattern matches is read, or named in an error.
#[test]
#[cfg(target_os = "linux")]
fn a_pattern_passes_over_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let dir = dir();
    write(dir.path(), "a.txt", "http://a/\n");
    std::fs::write(dir.path().join(OsStr::from_bytes(b"\xff.txt")), "http://b/\n").expect("a file");
    for command in ["normalize", "dedupe", "extract"] {
        let done = urimill(command).arg("*.txt").within(dir.path()).ok();
        assert_eq!(done.text(), "http://a/\nhttp://b/\n", "{command}");
    }
    for command in ["normalize", "dedupe"] {
        let line = format!("{command} --verify --force -o out.csv --summary json");
        let summary = urimill(&line).arg("*.txt").within(dir.path()).ok().summary();
        assert_eq!(summary["records"], 2, "{command}");
    }
    // A name that is not UTF-8 can be given, too.
    let done = urimill("normalize").arg(OsStr::from_bytes(b"\xff.txt")).within(dir.path()).ok();
    assert_eq!(done.text(), "http://b/\n");

    symlink(".", dir.path().join("one")).expect("a link");
    let done = urimill("normalize **/*.txt").within(dir.path()).ok();
    assert_eq!(done.text(), "http://a/\nhttp://b/\n", "a loop is not followed");
    symlink(".", dir.path().join("two")).expect("a link");
    let done = urimill("normalize **/*.txt").within(dir.path()).ok();
    assert_eq!(done.text(), "http://a/\nhttp://b/\n", "two loops have an end");
}

/// The superuser may read every directory: another user does this.
#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir();
    let mode = |name: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(dir.path().join(name), permissions).expect("permissions");
    };
    for name in ["open", "shut"] {
        std::fs::create_dir(dir.path().join(name)).expect("a directory");
        write(&dir.path().join(name), "x.txt", "http://a/\n");
    }
    let program = dir.path().join("urimill");
    std::fs::copy(env!("CARGO_BIN_EXE_urimill"), &program).expect("a copy");
    mode("", 0o755);
    mode("shut", 0o000);
    for pattern in ["*/x.txt", "*/*.txt", "**/*.txt", "**/x.txt"] {
        let mut run = urimill("").within(dir.path());
        run.command = std::process::Command::new("setpriv");
        run.command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&program);
        run.command.args(["normalize", pattern]);
        let done = match run.command.current_dir(dir.path()).output() {
            Ok(done) => done,
            Err(_) => return println!("skipped: there is no setpriv"),
        };
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        if said.starts_with("setpriv:") {
            return println!("skipped: {said}");
        }
        assert_eq!((done.status.code(), done.stdout), (Some(3), Vec::new()), "{pattern}: {said}");
        assert!(said.contains("shut") && said.contains("Permission denied"), "{pattern}: {said}");
    }
    mode("shut", 0o755);
}

/// A stream that is cut within its magic number is too short to be recognized by its first bytes alone.
#[test]
fn bzip2_cut_within_its_magic_number_is_not_published() {
    let dir = dir();
    for cut in 1..10 {
        write(dir.path(), "list.bz2", &b"BZh91AY&SY"[..cut]);
        let parts = ["cannot read list.bz2: the bzip2 stream is truncated", &format!("at byte {cut}")];
        for command in ["normalize", "dedupe", "check"] {
            urimill(command).arg("list.bz2").within(dir.path()).fails(3, &parts);
        }
        urimill("normalize list.bz2 -o out.csv --verify").within(dir.path()).fails(3, &parts);
        assert_eq!(super::run::names(dir.path()), ["list.bz2"]);
    }
}
