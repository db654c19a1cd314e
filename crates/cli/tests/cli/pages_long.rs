//! `urimill links` of pages that no chunk holds, where temporary files cannot be.

use super::run::{dir, names, urimill, write};

/// A page that no chunk holds: `page.html`, references at its beginning and at its end, and its base after them.
fn long_page(link: &str, filler: &str, end: &str) -> Vec<u8> {
    let filler = filler.repeat((17 << 20) / filler.len());
    [link.replace('#', "a").as_bytes(), filler.as_bytes(), link.replace('#', "b").as_bytes(), end.as_bytes()]
        .concat()
}

#[test]
fn where_temporary_files_cannot_be_a_long_page_is_an_error() {
    let dir = dir();
    write(dir.path(), "page.html", long_page("<a href=#>", "text", ""));
    write(dir.path(), "short.html", "<a href=#>");
    write(dir.path(), "file", "");
    // (TMPDIR, arguments, parts of the sentence): a directory that is named is tried first
    let table: &[(&str, &str, &[&str])] = &[
        ("missing", "page.html", &["create temporary files in", "missing", "TMPDIR names another directory"]),
        (
            "",
            "page.html --temp-dir no",
            &["create temporary files in no: ", "--temp-dir names another directory"],
        ),
        ("", "page.html --temp-dir file", &["create temporary files in file: ", "--temp-dir names another"]),
        (
            "",
            "short.html --temp-dir no",
            &["create temporary files in no: ", "--temp-dir names another directory"],
        ),
        (
            "",
            "page.html --edges host --temp-dir no",
            &["create temporary files in no: ", "--temp-dir names another"],
        ),
    ];
    for &(system, arguments, parts) in table {
        let mut run = urimill(&format!("links {arguments} -o links.csv")).within(dir.path());
        run.command.env("TMPDIR", dir.path().join(system));
        run.fails(3, parts);
        assert_eq!(names(dir.path()), ["file", "page.html", "short.html"], "{arguments}");
    }
    // The system's directory is not needed where another is named.
    for arguments in
        ["page.html -o links.csv", "page.html --edges host -o edges.csv", "short.html -o short.csv"]
    {
        let mut run = urimill(&format!("links {arguments} --temp-dir . --summary none")).within(dir.path());
        run.command.env("TMPDIR", dir.path().join("missing"));
        run.ok();
    }
    let all = ["edges.csv", "file", "links.csv", "page.html", "short.csv", "short.html"];
    assert_eq!(names(dir.path()), all);
}
