//! `--verify`: what it says, and what it refuses.

use super::run::{dir, names, urimill, write};

#[test]
fn the_summary_says_that_the_outputs_were_compared() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n<b>\n\nHTTP://C/\n");
    for output in
        ["t.parquet", "t.arrow", "t.arrows", "t.csv", "t.jsonl", "t.txt", "t/ --partition-by scheme"]
    {
        let line = format!("normalize in.txt --force --rejects bad.csv -o {output}");
        let run = |options: &str| urimill(&format!("{line} {options}")).within(dir.path()).ok();
        assert_eq!(run("--verify --summary json").summary()["verified"], true, "{output}");
        assert_eq!(run("--summary json").summary()["verified"], false, "{output}");
        let text = run("--verify").stderr;
        assert!(text.ends_with("\nverified: read back, the outputs hold all rows\n"), "{output}: {text}");
    }
}

#[test]
fn what_cannot_be_read_back_is_refused_before_any_work() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n");
    for (line, parts) in [
        ("normalize in.txt --verify", ["--verify", "-o FILE"]),
        ("normalize in.txt --verify --to csv -o -", ["--verify", "-o FILE"]),
        ("normalize in.txt --verify --to csv -o /dev/full", ["cannot verify /dev/full", "no file"]),
        (
            "normalize in.txt --verify --to csv -o t --rejects /dev/full",
            ["cannot verify /dev/full", "no file"],
        ),
    ] {
        urimill(line).within(dir.path()).fails(2, &parts);
    }
    assert_eq!(names(dir.path()), ["in.txt"]);
}
