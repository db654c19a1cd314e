//! The commands that answer each text with a line: resolve, relativize, encode and decode; and compare.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::run::urimill;

const BASE: &str = "http://a/b/c/d;p?q";

/// What is special, arguments, standard input, standard output, exit code.
type Answer = (&'static str, &'static [&'static str], &'static [u8], &'static [u8], i32);

#[rustfmt::skip]
const ANSWERS: &[Answer] = &[
    ("references as arguments", &["resolve", "--base", BASE, "g", "../../../g", "?y", "#s", "http:g"], b"",
        b"http://a/b/c/g\nhttp://a/g\nhttp://a/b/c/d;p?y\nhttp://a/b/c/d;p?q#s\nhttp:g\n", 0),
    ("the empty reference", &["resolve", "--base", "http://a/b?q#f", ""], b"", b"http://a/b?q\n", 0),
    ("a hyphen first", &["resolve", "--base", BASE, "--", "-x"], b"", b"http://a/b/c/-x\n", 0),
    ("--compat", &["resolve", "--compat", "--base", BASE, "http:g", "HTTP:g"], b"", b"http://a/b/c/g\nhttp://a/b/c/g\n", 0),
    ("--level", &["resolve", "--level", "scheme", "--base", "HTTP://A:80/b", "%7e", "?"], b"", b"http://a/~\nhttp://a/b?\n", 0),
    ("without --level", &["resolve", "--base", "HTTP://A:80/b", "%7e"], b"", b"HTTP://A:80/%7e\n", 0),
    ("--spec rfc2396", &["resolve", "--spec", "rfc2396", "--base", BASE, "?y", "../../../g", "/./g", ""], b"",
        b"http://a/b/c/?y\nhttp://a/../g\nhttp://a/./g\nhttp://a/b/c/d;p?q\n", 0),
    ("--spec rfc3986-errata", &["resolve", "--spec", "rfc3986-errata", "--base", "http://a/b/c/..", "g"], b"", b"http://a/b/g\n", 0),
    ("to the letter a triplet is no dot", &["resolve", "--base", BASE, "%2e%2e/g"], b"", b"http://a/b/c/%2e%2e/g\n", 0),
    ("--level percent: it is one", &["resolve", "--level", "percent", "--base", BASE, "%2e%2e/../g", "x:a/%2e/b"], b"",
        b"http://a/g\nx:a/b\n", 0),
    ("--spec rfc3986-errata without a root", &["resolve", "--spec", "rfc3986-errata", "--base", "foo:a/b", "../c"], b"", b"foo:/c\n", 0),
    ("what RFC 2396 has not", &["resolve", "--spec", "rfc2396", "--base", BASE, "http://[::1]/"], b"", b"\n", 1),
    ("no lines", &["resolve", "--base", BASE], b"", b"", 0),
    ("lines", &["resolve", "--base", BASE], b"g\n../x\n", b"http://a/b/c/g\nhttp://a/b/x\n", 0),
    ("the last line lacks its newline", &["resolve", "--base", BASE], b"g\nh", b"http://a/b/c/g\nhttp://a/b/c/h\n", 0),
    ("CRLF", &["resolve", "--base", BASE], b"g\r\nh\r\n", b"http://a/b/c/g\nhttp://a/b/c/h\n", 0),
    ("an empty line is the empty reference", &["resolve", "--base", BASE], b"\n\r\ng\n",
        b"http://a/b/c/d;p?q\nhttp://a/b/c/d;p?q\nhttp://a/b/c/g\n", 0),
    ("a byte-order mark at the start", &["resolve", "--base", BASE], b"\xEF\xBB\xBFg\n", b"http://a/b/c/g\n", 0),
    ("a byte-order mark and an empty line", &["resolve", "--base", "http://a/"], b"\xEF\xBB\xBF\n", b"http://a/\n", 0),
    ("nothing but a byte-order mark is nothing", &["resolve", "--base", "http://a/"], b"\xEF\xBB\xBF", b"", 0),
    ("a byte-order mark elsewhere is content", &["encode"], b"a\n\xEF\xBB\xBF\n", b"a\n%EF%BB%BF\n", 0),
    ("one that is no reference", &["resolve", "--base", BASE, "a b", "g"], b"", b"\nhttp://a/b/c/g\n", 1),
    ("a line that is none", &["resolve", "--base", BASE], b"g\n:\n\xFF\nh\n", b"http://a/b/c/g\n\n\nhttp://a/b/c/h\n", 1),
    ("- is a reference", &["resolve", "--base", BASE, "-"], b"", b"http://a/b/c/-\n", 0),

    ("URIs as arguments", &["relativize", "--base", BASE, "http://a/b/c/g", "http://a/b/", "https://a/"], b"",
        b"g\n..\nhttps://a/\n", 0),
    ("the base itself", &["relativize", "--base", BASE, BASE], b"", b"\n", 0),
    ("blank lines stay blank", &["relativize", "--base", BASE], b"\nhttp://a/g\r\n\r\n", b"\n/g\n\n", 0),
    ("--spec rfc2396", &["relativize", "--spec", "rfc2396", "--base", BASE, "http://a/b/c/?y"], b"", b"?y\n", 0),
    ("--spec rfc2396: an opaque base", &["relativize", "--spec", "rfc2396", "--base", "foo:a/b", "foo:a/c?x:y"], b"", b"c?x:y\n", 0),
    ("a target that no reference leads to", &["relativize", "--base", "http://a/b", "http://c/x/../y", "http://a/c"], b"", b"\nc\n", 1),
    ("a target without a scheme", &["relativize", "--base", BASE, "g", "http://a/g"], b"", b"\n/g\n", 1),
    ("no target at all", &["relativize", "--base", BASE, ""], b"", b"\n", 1),
    ("a target that is no URI", &["relativize", "--base", BASE, "http://a/ b"], b"", b"\n", 1),

    ("the default is for any place", &["encode", "a/b c", "100%"], b"", b"a%2Fb%20c\n100%25\n", 0),
    ("a component", &["encode", "--component", "path", "a/b c"], b"", b"a/b%20c\n", 0),
    ("a component of the older specification", &["encode", "--spec", "rfc2396", "(a)"], b"", b"(a)\n", 0),
    ("triplets kept", &["encode", "-k", "-c", "query", "%41 %"], b"", b"%41%20%25\n", 0),
    ("a host takes UTF-8", &["encode", "-c", "host"], b"b\xC3\xBCcher\n", b"b%C3%BCcher\n", 0),
    ("and nothing else", &["encode", "-c", "host"], b"a\n\xFF\nb\n", b"a\n\nb\n", 1),
    ("nor triplets of anything else", &["encode", "-k", "-c", "host", "%FF", "%C3%BC"], b"", b"\n%C3%BC\n", 1),
    ("an empty text", &["encode", ""], b"", b"\n", 0),
    ("lines of data", &["encode"], b"\xEF\xBB\xBFa b\r\n\n\xFF\r\r\n", b"a%20b\n\n%FF%0D\n", 0),
    ("NUL between texts", &["encode", "-z"], b"\xEF\xBB\xBFa\r\nb\0\0c", b"%EF%BB%BFa%0D%0Ab\0\0c\0", 0),

    ("triplets", &["decode", "a%2Fb+c%20", "%E9"], b"", b"a/b+c \n\xE9\n", 0),
    ("bytes for a pipe", &["decode", "%1b[31m%00%0a"], b"", b"\x1b[31m\0\n\n", 0),
    ("NUL behind results", &["decode", "--null", "%0A", "x"], b"", b"\n\0x\0", 0),
    ("lines of texts", &["decode"], b"a%20b\r\n\n%\nc", b"a b\n\n\nc\n", 1),
    ("a wrong triplet", &["decode", "%4", "a%zz", "x"], b"", b"\n\nx\n", 1),
    ("--lenient", &["decode", "--lenient", "100% %41 \u{FC}"], b"", b"100% A \xC3\xBC\n", 0),
    ("a component that has not been split", &["decode", "--component", "segment", "a/b", "a%2fb"], b"", b"\na/b\n", 1),
    ("--lenient takes anything", &["decode", "--component", "segment", "--lenient", "a/b"], b"", b"a/b\n", 0),
    ("a component of whole URIs", &["decode", "--from-uri", "--component", "query", "http://a/?x%26=%20#y", "http://a/", "?%3F"], b"",
        b"x&= \n\n?\n", 0),
    ("each component", &["decode", "-u", "-c", "userinfo", "http://%75@h/"], b"", b"u\n", 0),
    ("each component", &["decode", "-u", "-c", "host", "http://%68@%C3%A9:1/"], b"", b"\xC3\xA9\n", 0),
    ("each component", &["decode", "-u", "-c", "path", "http://h/%2F/a"], b"", b"///a\n", 0),
    ("each component", &["decode", "-u", "-c", "fragment", "#%23"], b"", b"#\n", 0),
    ("what is no URI", &["decode", "-u", "-c", "path", "a b"], b"", b"\n", 1),

    ("identical", &["compare", "http://a/", "http://a/"], b"", b"identical\n", 0),
    ("case", &["compare", "http://a/", "HTTP://a/"], b"", b"case\n", 0),
    ("percent", &["compare", "http://a/~", "http://a/%7e"], b"", b"percent\n", 0),
    ("syntax", &["compare", "http://a/", "http://a/b/.."], b"", b"syntax\n", 0),
    ("scheme", &["compare", "http://a/", "http://a:80"], b"", b"scheme\n", 0),
    ("different", &["compare", "http://a/", "http://b/"], b"", b"different\n", 1),
    ("%2E is a dot", &["compare", "%2e%2e/..", "../.."], b"", b"percent\n", 0),
    ("%2E is a dot, with --base", &["compare", "%2e%2e/..", "../..", "--base", "http://h/a/b/"], b"", b"percent\n", 0),
    ("%2E is a dot by --spec rfc2396", &["compare", "--spec", "rfc2396", "%2e%2e/g", "../g"], b"", b"percent\n", 0),
    ("%2E is a dot by --spec rfc2396, with --base",
        &["compare", "--spec", "rfc2396", "%2e%2e/g", "../g", "--base", "http://h/a/b/"], b"", b"percent\n", 0),
    ("no scheme says that they are equal", &["compare", "//h", "//h/"], b"", b"different\n", 1),
    ("amqp says that they are not", &["compare", "//h", "//h/", "--base", "amqp://x"], b"", b"different\n", 1),
    ("http says that they are", &["compare", "//h", "//h/", "--base", "http://x"], b"", b"scheme\n", 0),
    ("no authority is the default one", &["compare", "file:/a", "file:///a"], b"", b"scheme\n", 0),
    ("localhost is the default host", &["compare", "file:/a", "file://localhost/a"], b"", b"scheme\n", 0),
    ("a rootless path", &["compare", "foo:a/./b", "foo:a/b"], b"", b"syntax\n", 0),
    ("--spec rfc2396", &["compare", "--spec", "rfc2396", "http://a/!", "http://a/%21"], b"", b"percent\n", 0),
    ("--spec rfc2396 with --base", &["compare", "--spec", "rfc2396", "--base", BASE, "?y", "./?y"], b"", b"identical\n", 0),
    ("equal above --level", &["compare", "--level", "syntax", "http://a/", "http://a:80"], b"", b"scheme\n", 1),
    ("equal at --level", &["compare", "--level", "syntax", "http://a/", "http://a/."], b"", b"syntax\n", 0),
    ("--level none is identical", &["compare", "--level", "none", "http://a/", "HTTP://a/"], b"", b"case\n", 1),
    ("--level none is identical", &["compare", "--level", "none", "", ""], b"", b"identical\n", 0),
    ("without --base as they stand", &["compare", "../g", "/b/g"], b"", b"different\n", 1),
    ("both against --base", &["compare", "--base", BASE, "../g", "/b/g"], b"", b"identical\n", 0),
    ("repaired", &["resolve", "--repair", "--base", "http://h/x/", "a b", " ", "<c>", "URL:d:e"], b"",
        b"http://h/x/a%20b\nhttp://h/x/\nhttp://h/x/c\nd:e\n", 0),
    ("not to be repaired", &["resolve", "--repair", "--base", "http://h/", "//[", "b"], b"", b"\nhttp://h/b\n", 1),
    ("fragments count", &["compare", "http://a/#x", "http://a/#y"], b"", b"different\n", 1),
    ("fragments left out", &["compare", "--ignore-fragments", "http://a/#x", "http://a/#y"], b"", b"identical\n", 0),
    ("fragments left out", &["compare", "--ignore-fragments", "http://a#x", "http://a/"], b"", b"scheme\n", 0),
    ("fragments left out", &["compare", "--ignore-fragments", "--base", BASE, "#x", ""], b"", b"identical\n", 0),
    ("fragments left out", &["compare", "--ignore-fragments", "http://a/?#x", "http://a/"], b"", b"different\n", 1),
    ("absolute URIs", &["compare", "--absolute-only", "http://a/", "HTTP://a/"], b"", b"case\n", 0),
    ("references with a base", &["compare", "--absolute-only", "--base", BASE, "../g", "/b/g"], b"", b"identical\n", 0),
    ("the empty reference is the base", &["compare", "--base", "http://a/b#f", "", "http://a/b"], b"", b"identical\n", 0),
];

#[test]
fn texts_in_and_lines_out() {
    for (what, arguments, stdin, expected, code) in ANSWERS {
        let done = arguments.iter().fold(urimill(""), |run, argument| run.arg(argument)).stdin(stdin).go();
        let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
        assert_eq!(shown(&done.stdout), shown(expected), "{what}: {arguments:?}");
        assert_eq!(done.code, Some(*code), "{what}: {arguments:?}: {}", done.stderr);
        // Standard error has a sentence for each text without an answer. Code 1 of compare is an answer.
        let silent = *code == 0 || arguments[0] == "compare" && *code == 1;
        assert_eq!(done.stderr.is_empty(), silent, "{what}: {arguments:?}: {}", done.stderr);
        assert!(done.stderr.lines().all(|line| line.starts_with("urimill: ")), "{}", done.stderr);
    }
}

/// (arguments, standard input, standard error)
#[rustfmt::skip]
const REASONS: &[(&str, &[u8], &str)] = &[
    ("resolve --base http://a/ b c| d", b"",
        "urimill: argument 2: path_invalid_char: a character that a path cannot hold (path, byte 1)\n"),
    ("resolve --base http://a/", b"b\n\n\x1b\n%4\n",
        "urimill: line 3: path_invalid_char: a character that a path cannot hold (path, byte 0)\nurimill: \
         line 4: percent_truncated: a percent sign without two hexadecimal digits after it (path, byte 2)\n"),
    ("resolve --base http://a/", b"\xFF\n", "urimill: line 1: not_utf8: the record is not UTF-8 (path, byte 0)\n"),
    ("relativize --base http://a/b http://c/x/../y", b"",
        "urimill: argument 1: resolution removes the dot segments of its path, so no reference leads to it\n"),
    ("relativize --base http://a/ b", b"",
        "urimill: argument 1: it has no scheme, so no reference leads to it\n"),
    ("decode a%4", b"", "urimill: argument 1: percent_truncated: a percent sign without two hexadecimal \
     digits after it (byte 3)\n"),
    ("decode -c segment a/b", b"", "urimill: argument 1: invalid_char: a character that the component cannot hold (byte 1)\n"),
    ("encode -c host", b"a\nb\xFF\n",
        "urimill: line 2: not_utf8: a byte that is not UTF-8, for which a host has no percent-encoding (byte 1)\n"),
    ("decode -z", b"\n\0%x\0",
        "urimill: text 2: percent_invalid_digit: a character that is not a hexadecimal digit in a percent-encoded byte (byte 1)\n"),
];

#[test]
fn a_text_without_an_answer_has_a_reason() {
    for (line, stdin, expected) in REASONS {
        let done = urimill(line).stdin(stdin).go();
        assert_eq!((done.code, done.stderr.as_str()), (Some(1), *expected), "{line}");
    }
}

#[test]
fn a_base_is_a_whole_uri() {
    // (base, what the sentence has in it): RFC 3986 5.1
    let bases: &[(&str, &[&str])] = &[
        ("", &["the base \"\"", "has no scheme"]),
        ("/a/b", &["the base \"/a/b\"", "has no scheme", "give a whole URI"]),
        ("//a/b", &["has no scheme"]),
        (
            "http://a b/",
            &["the base \"http://a b/\"", "no URI reference by rfc3986", "host_invalid_char", "byte 8"],
        ),
        (":\x1b[2J", &["\\u{1b}[2J", "scheme_empty"]),
    ];
    for (base, parts) in bases {
        for command in ["resolve", "relativize"] {
            urimill(command).arg("--base").arg(base).arg("x:y").fails(2, parts);
        }
        urimill("compare a a --base").arg(base).fails(2, parts);
    }
    urimill("compare").arg("a b").arg("c").fails(2, &["A \"a b\"", "path_invalid_char", "byte 1"]);
    urimill("compare").arg("a").arg("%").fails(2, &["B \"%\"", "percent_truncated"]);
    urimill("compare --base x:y").arg("a").arg("%").fails(2, &["B \"%\""]);
    urimill("decode -u -c segment a")
        .fails(2, &["no component segment", "userinfo, host, path, query or fragment"]);
}

/// RFC 3986 6.1: relative references are not compared as they stand.
#[test]
fn relative_references_are_not_compared_where_absolute_ones_are_asked_for() {
    for (a, b) in [("../b", "http://a/"), ("http://a/", "//a/"), ("", "")] {
        let run = urimill("compare --absolute-only").arg(a).arg(b);
        run.fails(2, &["is a relative reference", "RFC 3986, 6.1", "resolve it first"]);
    }
}

/// RFC 2396 5: nothing is relative to a base that is not hierarchical. That is said once, and the targets come.
#[test]
fn an_unsuitable_base_is_reported() {
    let sentence = |section| {
        format!(
            "urimill: the base \"mailto:a@b\" is not hierarchical, so nothing can be relative to it \
             ({section}): the targets are still those of the algorithm\n"
        )
    };
    for (options, section) in [("", "RFC 3986, 1.2.3"), ("--spec rfc2396", "RFC 2396, 5")] {
        let done = urimill(&format!("resolve {options} --base mailto:a@b #s http://h/ c d")).go();
        assert_eq!(done.text(), "mailto:a@b#s\nhttp://h/\nmailto:c\nmailto:d\n");
        assert_eq!((done.code, done.stderr), (Some(0), sentence(section)));
        let done = urimill(&format!("resolve {options} --base mailto:a@b #s http://h/")).ok();
        assert_eq!(done.stderr, "", "what is not relative fits every base");
    }
    assert_eq!(urimill("resolve --base http://h/ c").ok().stderr, "");
}

#[cfg(unix)]
#[test]
fn arguments_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::ffi::OsStr::from_bytes(b"\xFF");
    assert_eq!(urimill("encode").arg(bytes).ok().stdout, b"%FF\n");
    let done = urimill("resolve --base http://a/").arg(bytes).go();
    assert!(done.code == Some(1) && done.stderr.contains("not_utf8"), "{done:?}");
    urimill("resolve x --base").arg(bytes).fails(2, &["\"\u{FFFD}\"", "not_utf8"]);
}

/// Texts that have been read are answered before more is awaited: a program can ask and wait for its answer.
#[test]
fn a_coprocess_answers_line_by_line() {
    for (line, asked, answer) in [
        ("resolve --base http://a/b/c", "../d\n", "http://a/d\n"),
        ("relativize --base http://a/b/c", "http://a/b/d\n", "d\n"),
        ("encode", "a b\n", "a%20b\n"),
        ("decode", "a%20b\n", "a b\n"),
    ] {
        let mut command = urimill(line).command;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("urimill starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        for _ in 0..3 {
            stdin.write_all(asked.as_bytes()).expect("it reads");
            let mut read = String::new();
            stdout.read_line(&mut read).expect("it writes");
            assert_eq!(read, answer, "{line}");
        }
        drop(stdin);
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{line}");
    }
}

/// Lines longer than any buffer, across its ends; and one that is too long to be kept.
#[test]
fn long_lines() {
    let long = "x".repeat(200_000);
    let done = urimill("resolve --base http://a/").stdin(format!("{long}\nb\n{long}")).ok();
    assert!(
        done.text() == format!("http://a/{long}\nhttp://a/b\nhttp://a/{long}\n"),
        "a long line is changed"
    );

    let mut stdin = vec![b'y'; (16 << 20) + 1];
    stdin.extend_from_slice(b"\nb\n");
    let done = urimill("resolve --base http://a/").stdin(&stdin).go();
    assert_eq!((done.code, done.text()), (Some(1), "\nhttp://a/b\n"));
    done.says("a line that is too long", &["line 1: it is longer than 16777216 bytes"]);
    let done = urimill("resolve --base http://a/").stdin(&stdin[1..]).ok();
    assert_eq!(done.stdout.len(), (16 << 20) + "http://a/\nhttp://a/b\n".len());
}
