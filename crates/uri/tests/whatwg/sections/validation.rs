//! Validation errors (1.1) that are no failures, and where they are in the input.

use urimill_uri::whatwg::{Url, ValidationError};

const UNIT: &str = "invalid-URL-unit";
const SOLIDUS: &str = "special-scheme-missing-following-solidus";
const REVERSE: &str = "invalid-reverse-solidus";
const CREDENTIALS: &str = "invalid-credentials";
const DRIVE: &str = "file-invalid-Windows-drive-letter";
const DRIVE_HOST: &str = "file-invalid-Windows-drive-letter-host";

/// (input, base, validation errors with their bytes)
type Row = (&'static str, &'static str, &'static [(&'static str, usize)]);

const ROWS: &[Row] = &[
    ("http://h/", "", &[]),
    ("HTTP://H:80/../%41?'#'", "", &[]),
    ("http://h/\u{e9}?\u{e9}#\u{e9}", "", &[]),
    // Characters that are removed before the first state: once at the ends, once between them.
    (" http://h/", "", &[(UNIT, 0)]),
    ("http://h/ \u{1}", "", &[(UNIT, 9)]),
    ("  http://h/  ", "", &[(UNIT, 0)]),
    ("http://h/\ta\tb", "", &[(UNIT, 9)]),
    (" http://h/\n ", "", &[(UNIT, 0)]),
    (" http://h/\na ", "", &[(UNIT, 0), (UNIT, 10)]),
    ("http://h/a b\tc", "", &[(UNIT, 12), (UNIT, 10)]),
    // Slashes.
    ("http:h", "", &[(SOLIDUS, 5)]),
    ("http:/h", "", &[(SOLIDUS, 5), (SOLIDUS, 5)]),
    ("http:///h", "", &[(SOLIDUS, 7)]),
    ("http://///h", "", &[(SOLIDUS, 7), (SOLIDUS, 8), (SOLIDUS, 9)]),
    (r"http:\\h", "", &[(SOLIDUS, 5), (SOLIDUS, 5), (SOLIDUS, 6)]),
    ("http:a", "http://h/", &[(SOLIDUS, 5)]),
    ("file:a", "", &[(SOLIDUS, 5)]),
    ("file:/a", "", &[(SOLIDUS, 5)]),
    ("//h", "http://g/", &[]),
    ("///h", "http://g/", &[(SOLIDUS, 2)]),
    // Backslashes.
    (r"http://h\a", "", &[(REVERSE, 8)]),
    (r"http://h/a\b\", "", &[(REVERSE, 10), (REVERSE, 12)]),
    (r"\a", "http://h/", &[(REVERSE, 0)]),
    (r"\\a", "http://h/", &[(REVERSE, 0), (REVERSE, 1)]),
    (r"/\a", "http://h/", &[(REVERSE, 1)]),
    (r"file:\\h\a", "", &[(SOLIDUS, 5), (REVERSE, 5), (REVERSE, 6), (REVERSE, 8)]),
    (r"a:b\c", "", &[(UNIT, 3)]),
    (r"a://h/b\c", "", &[(UNIT, 7)]),
    (r"http://h/?\#\", "", &[(UNIT, 10), (UNIT, 12)]),
    // Credentials: each @, whatever is before it.
    ("http://u:p@h/", "", &[(CREDENTIALS, 10)]),
    ("http://a b<@h/", "", &[(CREDENTIALS, 11)]),
    ("http://u@v@h/", "", &[(CREDENTIALS, 8), (CREDENTIALS, 10)]),
    ("http://@h/@", "", &[(CREDENTIALS, 7)]),
    // Hosts.
    ("http://0x7f.1/", "", &[("IPv4-non-decimal-part", 7)]),
    ("http://0.0x1.02.3/", "", &[("IPv4-non-decimal-part", 9), ("IPv4-non-decimal-part", 13)]),
    ("http://1.2.3.4./", "", &[("IPv4-empty-part", 14)]),
    ("http://1.256/", "", &[("IPv4-out-of-range-part", 9)]),
    (
        "http://0x100./",
        "",
        &[("IPv4-empty-part", 12), ("IPv4-non-decimal-part", 7), ("IPv4-out-of-range-part", 7)],
    ),
    ("http://u@0x1/", "", &[(CREDENTIALS, 8), ("IPv4-non-decimal-part", 9)]),
    ("a://h\u{fdd0}/", "", &[(UNIT, 5)]),
    ("a://h%4/", "", &[(UNIT, 5)]),
    // Paths, queries, fragments.
    ("http://h/a b|%zz", "", &[(UNIT, 10), (UNIT, 12), (UNIT, 13)]),
    ("http://h/%4", "", &[(UNIT, 9)]),
    ("http://h/?\"#<", "", &[(UNIT, 10), (UNIT, 12)]),
    ("http://h/?a?b/c#d?e/#f", "", &[(UNIT, 20)]),
    ("http://h/[]^`{}", "", &[(UNIT, 9), (UNIT, 10), (UNIT, 11), (UNIT, 12), (UNIT, 13), (UNIT, 14)]),
    ("http://h/\u{fffe}\u{10ffff}\u{80}", "", &[(UNIT, 9), (UNIT, 12), (UNIT, 16)]),
    ("a:b c", "", &[(UNIT, 3)]),
    // Drive letters.
    ("file:c|/a", "", &[(SOLIDUS, 5), (UNIT, 6)]),
    ("file://c:/a", "", &[(DRIVE_HOST, 7)]),
    ("file://c|/a|", "", &[(DRIVE_HOST, 7), (UNIT, 11)]),
    ("d|/a", "file:///c:/", &[(DRIVE, 0), (UNIT, 1)]),
    ("file:d:/a", "file:///c:/", &[(SOLIDUS, 5), (DRIVE, 5)]),
    // Bytes of the input, behind what was removed.
    ("\t http://h/\ta b", "", &[(UNIT, 0), (UNIT, 11), (UNIT, 13)]),
    ("ht\ttp://\nu@h/\r\r|", "", &[(UNIT, 2), (CREDENTIALS, 10), (UNIT, 15)]),
];

#[test]
fn errors_and_their_bytes() {
    let mut told = Vec::new();
    for &(input, base, expected) in ROWS {
        let base = (!base.is_empty()).then(|| Url::parse(base, None).unwrap());
        let (url, errors) = Url::validate(input, base.as_ref());
        assert!(url.is_ok(), "{input}");
        let errors: Vec<_> = errors.iter().map(|(error, at)| (error.as_str(), *at)).collect();
        if errors != expected {
            told.push(format!("{input:?} has {errors:?} and not {expected:?}"));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// Bytes that are not UTF-8 are read as U+FFFD, which is a URL unit.
#[test]
fn invalid_utf_8_moves_no_offset() {
    let (url, errors) = Url::validate(b"http://h/\xff\xff \xe9\x80|", None);
    assert_eq!(url.unwrap().href(), "http://h/%EF%BF%BD%EF%BF%BD%20%EF%BF%BD|");
    assert_eq!(errors, [(ValidationError::InvalidUrlUnit, 11), (ValidationError::InvalidUrlUnit, 14)]);
}

/// Each error of the standard that is no failure has a row.
#[test]
fn every_error_is_in_the_table() {
    let named: Vec<_> = ROWS.iter().flat_map(|(.., errors)| errors.iter().map(|(name, _)| *name)).collect();
    let others = [
        "IPv4-empty-part",
        "IPv4-non-decimal-part",
        "IPv4-out-of-range-part",
        UNIT,
        SOLIDUS,
        REVERSE,
        CREDENTIALS,
        DRIVE,
        DRIVE_HOST,
    ];
    for name in others {
        assert!(named.contains(&name), "{name}");
        assert!(ValidationError::ALL.iter().any(|error| error.as_str() == name), "{name}");
    }
}
