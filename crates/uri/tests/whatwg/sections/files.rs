//! Files (4.4): the file states, drive letters (4.2).

use super::{Row, check};

const FILES: &[Row] = &[
    ("file:", "", Ok("file:///"), "4.4 file state"),
    ("file:a", "", Ok("file:///a"), "4.4 file state"),
    ("file:?q", "", Ok("file:///?q"), "4.4 file state"),
    ("file:/a", "", Ok("file:///a"), "4.4 file slash state"),
    (r"file:\a", "", Ok("file:///a"), "4.4 file slash state"),
    ("file://", "", Ok("file:///"), "4.4 file host state"),
    ("file:///a", "", Ok("file:///a"), "4.4 file host state"),
    ("file://///a", "", Ok("file://///a"), "4.4 path state: empty segments stay"),
    ("file://localhost/a", "", Ok("file:///a"), "4.4 file host state"),
    ("file://LOCAL%48ost/a", "", Ok("file:///a"), "4.4 file host state: as the host is parsed"),
    ("file://h/a", "", Ok("file://h/a"), "4.4 file host state"),
    ("file://h", "", Ok("file://h/"), "4.4 path start state"),
    ("file://h?q", "", Ok("file://h/?q"), "4.4 path start state"),
    (r"file:\\h\a", "", Ok("file://h/a"), "4.4 file host state"),
    ("file://h:80/", "", Err(("domain-invalid-code-point", 8)), "4.4 file host state: no port"),
    ("file://u@h/", "", Err(("domain-invalid-code-point", 8)), "4.4 file host state: no credentials"),
    ("file://[::1]/", "", Ok("file://[::1]/"), "4.4 file host state"),
    ("file:a", "file:///b/c", Ok("file:///b/a"), "4.4 file state"),
    ("file:a", "http://h/b", Ok("file:///a"), "4.4 file state: a base of another scheme"),
    ("file:#f", "http://h/", Ok("file:///#f"), "4.4 file state"),
    ("", "file://h/a?q#f", Ok("file://h/a?q"), "4.4 file state"),
    ("d", "file://h/a/b?q", Ok("file://h/a/d"), "4.4 file state"),
    ("?y", "file:///a?q", Ok("file:///a?y"), "4.4 file state"),
    ("#y", "file:///a?q", Ok("file:///a?q#y"), "4.4 file state"),
    ("/d", "file://h/a/b?q", Ok("file://h/d"), "4.4 file slash state"),
    ("//", "file://h/a", Ok("file:///"), "4.4 file host state"),
    ("//g/d", "file://h/a", Ok("file://g/d"), "4.4 file host state"),
    ("//localhost/d", "file://h/a", Ok("file:///d"), "4.4 file host state"),
    (r"\\h\a", "file:///b", Ok("file://h/a"), "4.4 file slash state"),
];

#[test]
fn files() {
    check(FILES);
}

const DRIVES: &[Row] = &[
    ("file:c:", "", Ok("file:///c:"), "4.4 path state"),
    ("file:c|/a", "", Ok("file:///c:/a"), "4.4 path state: a bar is a colon"),
    ("file:/C|/a", "", Ok("file:///C:/a"), "4.4 path state"),
    ("file:///c|", "", Ok("file:///c:"), "4.4 path state"),
    ("file:////c|/a", "", Ok("file:////c|/a"), "4.4 path state: in the first segment alone"),
    ("file:///a/c|", "", Ok("file:///a/c|"), "4.4 path state"),
    ("file:///c|a", "", Ok("file:///c|a"), "4.2 Windows drive letter"),
    ("file:///1|", "", Ok("file:///1|"), "4.2 Windows drive letter"),
    ("file:///c%7C", "", Ok("file:///c%7C"), "4.2 Windows drive letter"),
    ("http://h/c|/..", "", Ok("http://h/"), "4.4 path state: files alone"),
    ("file://c|/a", "", Ok("file:///c:/a"), "4.4 file host state"),
    ("file://c:", "", Ok("file:///c:"), "4.4 file host state"),
    (r"file:\\c:\a", "", Ok("file:///c:/a"), "4.4 file host state"),
    ("file://h/c:/a", "", Ok("file://h/c:/a"), "4.4 file host state: a host stays beside a drive"),
    ("file:///c:/..", "", Ok("file:///c:/"), "4.2 shorten: a drive stays"),
    ("file:///c:/../../a", "", Ok("file:///c:/a"), "4.2 shorten"),
    ("file:///c|/..", "", Ok("file:///c:/"), "4.2 shorten"),
    ("file:///a/../c|/..", "", Ok("file:///c:/"), "4.2 shorten"),
    ("file:///c:a/..", "", Ok("file:///"), "4.2 shorten: none, and so it goes"),
    ("..", "file:///c:/", Ok("file:///c:/"), "4.2 shorten"),
    ("..", "file:///c:", Ok("file:///c:/"), "4.2 shorten"),
    ("a", "file:///c:", Ok("file:///c:/a"), "4.2 shorten"),
    ("/d", "file:///c:/a/b", Ok("file:///c:/d"), "4.4 file slash state: the base's drive stays"),
    ("/", "file://h/c:/a", Ok("file://h/c:/"), "4.4 file slash state"),
    ("/d", "file:///c:a/b", Ok("file:///d"), "4.4 file slash state"),
    ("/d:/e", "file:///c:/a/b", Ok("file:///d:/e"), "4.4 file slash state"),
    ("/d:e", "file:///c:/a/b", Ok("file:///c:/d:e"), "4.2 starts with a Windows drive letter"),
    ("/d|?q", "file:///c:/a", Ok("file:///d:?q"), "4.2 starts with a Windows drive letter"),
    ("d|/e", "file:///c:/a/b", Ok("file:///d:/e"), "4.4 file state: the base's path goes"),
    ("d|/e", "file://h/a/b", Ok("file://h/d:/e"), "4.4 file state: the base's host stays"),
    ("d:/e", "file:///c:/a/b", Ok("d:/e"), "4.4 scheme state: a colon ends a scheme"),
    ("d|e", "file:///c:/a/b", Ok("file:///c:/a/d|e"), "4.2 starts with a Windows drive letter"),
    ("file:d:/e", "file:///c:/a/b", Ok("file:///d:/e"), "4.4 file state"),
    ("//d|/e", "file:///c:/a/b", Ok("file:///d:/e"), "4.4 file host state"),
];

#[test]
fn drive_letters() {
    check(DRIVES);
}
