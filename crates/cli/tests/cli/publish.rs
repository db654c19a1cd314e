//! An output is the old file, absent, or complete, and there are no temporaries left.

use std::fs;

use super::run::{dir, names, urimill, write};
use urimill_testkit::paths::repository;

const OLD: &str = "what was there before\n";

#[test]
fn an_existing_file_needs_force() {
    let dir = dir();
    for name in ["t.parquet", "t.arrow", "t.arrows", "t.csv", "t.jsonl", "t.txt"] {
        write(dir.path(), name, OLD);
        let run = |options: &str| {
            urimill(&format!("normalize -o {name} {options}")).within(dir.path()).stdin("http://a/\n")
        };
        run("").fails(2, &[&format!("cannot write {name}"), "exists", "--force"]);
        assert_eq!(fs::read_to_string(dir.path().join(name)).expect("a file"), OLD);
        run("--force").ok();
        assert_ne!(fs::read(dir.path().join(name)).expect("a file"), OLD.as_bytes());
        fs::remove_file(dir.path().join(name)).expect("removed");
    }
    write(dir.path(), "bad.csv", OLD);
    let run = urimill("normalize -o t.csv --rejects bad.csv").within(dir.path()).stdin("<a>\n");
    run.fails(2, &["cannot write bad.csv", "exists", "--force"]);
    assert_eq!(names(dir.path()), ["bad.csv"]);
}

#[test]
fn a_failed_run_leaves_the_old_file() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n".repeat(1000) + "<bad>\n");
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03 this is no deflate stream";
    write(dir.path(), "damaged.gz", gzip);
    for name in ["t.parquet", "t.arrow", "t.csv"] {
        for (options, code) in [("in.txt --on-invalid fail", 1), ("in.txt damaged.gz", 3), ("damaged.gz", 3)]
        {
            write(dir.path(), name, OLD);
            let line = format!("normalize --force --chunk 100 -o {name} {options}");
            urimill(&line).within(dir.path()).fails(code, &[]);
            assert_eq!(fs::read_to_string(dir.path().join(name)).expect("a file"), OLD, "{line}");
            fs::remove_file(dir.path().join(name)).expect("removed");

            urimill(&line).within(dir.path()).fails(code, &[]);
            assert_eq!(names(dir.path()), ["damaged.gz", "in.txt"], "{line}");
        }
    }
}

#[test]
fn an_input_is_never_an_output() {
    let dir = dir();
    write(dir.path(), "in.txt", OLD);
    fs::create_dir(dir.path().join("sub")).expect("a directory");
    let mut inputs = vec!["in.txt", "./in.txt", "sub/../in.txt"];
    if cfg!(unix) {
        fs::hard_link(dir.path().join("in.txt"), dir.path().join("hard.txt")).expect("a link");
        #[cfg(unix)]
        std::os::unix::fs::symlink("in.txt", dir.path().join("soft.txt")).expect("a link");
        inputs.extend(["hard.txt", "soft.txt"]);
    }
    for input in inputs {
        for outputs in ["-o in.txt", "--rejects in.txt", "--to csv -o in.txt"] {
            let line = format!("normalize --force {outputs} sub/../in.txt {input}");
            urimill(&line).within(dir.path()).fails(2, &["cannot write in.txt", "it is an input"]);
        }
    }
    assert_eq!(fs::read_to_string(dir.path().join("in.txt")).expect("a file"), OLD);
}

/// A shell's `<` and `>>` name files, too.
#[test]
#[cfg(target_os = "linux")]
fn an_input_behind_a_redirection_is_an_input() {
    let dir = dir();
    write(dir.path(), "in.txt", OLD);
    let path = dir.path().join("in.txt");
    // (arguments, whether standard input and output are the file)
    for (line, reads, appends) in [
        ("normalize -o in.txt --force", true, false),
        ("normalize in.txt", false, true),
        ("normalize", true, true),
        ("normalize - -o - --rejects bad.csv", true, true),
    ] {
        let mut command = urimill(line).within(dir.path()).command;
        if reads {
            command.stdin(fs::File::open(&path).expect("a file"));
        }
        if appends {
            command.stdout(fs::OpenOptions::new().append(true).open(&path).expect("a file"));
        }
        let output = command.output().expect("urimill ends");
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("it is an input"), "{line}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), OLD, "{line}");
    }
    // Another file is fine.
    let mut command = urimill("normalize --from lines in.txt").within(dir.path()).command;
    command.stdout(fs::File::create(dir.path().join("out.txt")).expect("a file"));
    assert_eq!(command.output().expect("urimill ends").status.code(), Some(0));
}

#[test]
fn a_place_that_cannot_be_written_is_one_sentence() {
    let dir = dir();
    fs::create_dir(dir.path().join("there.csv")).expect("a directory");
    write(dir.path(), "file", OLD);
    // (output, exit code, what the sentence has in it)
    for (output, code, parts) in [
        ("nosuch/t.csv", 3, &["cannot create nosuch/t.csv", "directory does not exist"]),
        ("there.csv", 2, &["cannot write there.csv", "it is a directory"]),
        ("file/t.csv", 3, &["cannot create file/t.csv", ""]),
    ] {
        // A table may be a directory.
        let options = if output == "there.csv" { &["--rejects"][..] } else { &["-o", "--rejects"] };
        for option in options {
            urimill(&format!("normalize {option} {output}")).within(dir.path()).fails(code, parts);
        }
    }
    assert_eq!(names(dir.path()), ["file", "there.csv"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_sentence_and_nothing_is_published() {
    let dir = dir();
    let sentence = "no space is left on the device; free some, or write elsewhere";
    let stdin = "<bad>\nhttp://a/\n".repeat(5000);
    for format in ["parquet", "arrow", "arrow-stream", "csv", "jsonl", "uris"] {
        let run =
            |line: &str| urimill(&format!("normalize --to {format} {line}")).within(dir.path()).stdin(&stdin);
        run("-o /dev/full").fails(3, &["cannot write /dev/full", sentence]);
        // The rejects fail at their very end, when the table is complete.
        run("-o table --rejects /dev/full").fails(3, &["cannot write /dev/full", sentence]);
        let mut command = run("").command;
        command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full"));
        command.arg(repository().join("datasets/sample.txt"));
        let output = command.output().expect("urimill ends");
        assert_eq!(output.status.code(), Some(3), "{format}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said, format!("urimill: cannot write standard output: {sentence}\n"), "{format}");
        assert_eq!(names(dir.path()), [""; 0], "{format}");
    }
    for line in [
        "--help",
        "--version",
        "schema",
        "schema --to json",
        "man",
        "completions bash",
        "encode x",
        "compare a a",
    ] {
        let mut command = urimill(line).command;
        command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full"));
        let output = command.output().expect("urimill ends");
        assert_eq!(output.status.code(), Some(3), "{line}");
        assert!(output.stderr.starts_with(b"urimill: cannot write standard output: "), "{line}");
    }
}
