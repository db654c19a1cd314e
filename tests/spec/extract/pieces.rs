//! Any bytes, in pieces of any size, with bounds on the bytes examined and kept.

use urimill::UriRef;
use urimill::extract::{Found, Kind, LONGEST, LONGEST_IN_ANGLE, LOOK_BEHIND, Options, each_found, find};

use super::uris;

#[test]
fn any_bytes_will_do() {
    let rows: [(&[u8], &str); 8] = [
        (b"", ""),
        (b"\0\0http://a/b\0c\0", "http://a/b"),
        (b"http://a/caf\xe9 x", "http://a/caf"),
        (b"\xff<http://a/\xff\n>", "http://a/"),
        (b"http://a/b\xe6\x97", "http://a/b"),
        (b"\xe9http://a/b", "http://a/b"),
        (b"http://\xff", ""),
        (b":::://///www.www.:", ""),
    ];
    for (text, expected) in rows {
        assert_eq!(uris(text).join(" "), expected, "{}", text.escape_ascii());
    }
    // Every text of four of the bytes that decide something: a URI that is found is part of the text.
    let bytes = b"a:/<>w.(\xc3\n";
    let heads: [&[u8]; 4] = [b"http:/", b"<ftp:", b"ww", b"\"http://a/"];
    let count = bytes.len().pow(4);
    for (head, n) in heads.iter().flat_map(|head| (0..count).map(move |n| (head, n))) {
        let mut text = head.to_vec();
        text.extend((0..4).map(|place| bytes[n / bytes.len().pow(place) % bytes.len()]));
        let options = Options::default();
        for found in find(&text, &options) {
            assert_eq!(text[found.offset..].get(..found.raw.len()), Some(found.raw.as_bytes()));
        }
    }
}

/// The URIs found if the text comes in pieces: offset, length and URI.
fn in_pieces(text: &[u8], window: usize) -> Vec<(u64, usize, String)> {
    let (mut found, mut rest) = (Vec::new(), text);
    let read = |buffer: &mut [u8]| std::io::Read::read(&mut rest, buffer);
    let then = |at: u64, uri: &Found<'_>| {
        found.push((at + uri.offset as u64, uri.raw.len(), uri.uri.to_string()));
        Ok(())
    };
    each_found(read, window, &Options::default(), then).expect("memory can be read");
    found
}

#[test]
fn pieces_of_any_size_give_the_same() {
    let filler = "and other words: none of them, (12:30) ".repeat(8);
    let items = [
        "<ftp://foo.example.\n   com/rfc/>",
        "(see http://a/b_(c)).",
        "\"http://a/?x=é&amp;y\"",
        "www.example.com, WWW.EXAMPLE.COM.",
        "<URL:\n   http://a/b-\nc >",
        "|mailto:a@b.example|",
        "http://a/&gt;",
        r"\nhttp://a/日本語。",
        "a.b-c+d:e <f:g h>",
        "<http://a/ http://b/>",
        "data:text/plain;base64,QUFB",
        "file:///, <about:blank> <http://../>",
        "<URL:\n   ../a-\nb >",
    ];
    let text: String = items.iter().map(|item| format!("{item} {filler}{item}")).collect();
    let expected = in_pieces(text.as_bytes(), text.len() + 1);
    assert!(expected.len() >= 2 * items.len(), "{expected:?}");
    assert_eq!(expected.len(), find(text.as_bytes(), &Options::default()).count());
    for window in (1..70).chain([255, 256, 257, 1000, 4096]) {
        assert_eq!(in_pieces(text.as_bytes(), window), expected, "pieces of {window}");
    }
}

/// Words that decide something, in any order: the pieces do not matter, URIs are at their offsets, in order and without
/// overlap, and their cleaned form parses and holds no control characters.
#[test]
fn texts_of_any_words_hold_what_is_found_in_them() {
    let long = "x".repeat(300);
    let words: Vec<&[u8]> = [
        "http", "://", "<", ">", " ", "\n", "\r\n ", "www.", "a.bc", "(", ")", "\"", "'", "=", "é", "。",
        "\\", "n", "URL:", "mailto:", "@", "&lt;", "&amp;", "-", ".", "/", "?", "#", "[::1]", ":80", "foo",
        ":", "%41", "%", "|", "\x1b", "*", "1", "ftp://x", &long,
    ]
    .map(str::as_bytes)
    .into_iter()
    .chain([&b"\xff"[..], b"\xe3\x80", b"\0"])
    .collect();
    let (mut state, mut count) = (7_u64, 0);
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let options = Options::default();
    for _ in 0..6000 {
        let text: Vec<u8> = (0..40).flat_map(|_| words[random(words.len())]).copied().collect();
        let found: Vec<_> = find(&text, &options).collect();
        let mut end = 0;
        for one in &found {
            assert_eq!(&text[one.offset..one.offset + one.raw.len()], one.raw.as_bytes());
            assert!(one.offset >= end && !one.raw.is_empty(), "{one:?} in {}", text.escape_ascii());
            let is_relative = one.kind == Kind::Relative;
            assert!(UriRef::parse(&one.uri).is_ok_and(|uri| uri.is_uri() != is_relative), "{one:?}");
            assert!(!one.raw.contains(|c: char| c.is_control() && !c.is_whitespace()), "{one:?}");
            end = one.offset + one.raw.len();
        }
        let whole: Vec<_> =
            found.iter().map(|one| (one.offset as u64, one.raw.len(), one.uri.to_string())).collect();
        for window in [1, 3, 50, 400] {
            assert_eq!(in_pieces(&text, window), whole, "pieces of {window}: {}", text.escape_ascii());
        }
        count += found.len();
    }
    assert!(count > 3000, "only {count} found");
}

#[test]
fn lengths_have_bounds() {
    let long = |len: usize| format!("http://a/{}", "b".repeat(len - 9));
    // (length, whether it is found)
    for (len, is_found) in [(LONGEST - 1, true), (LONGEST, false)] {
        let text = format!("http://a/1 {} http://a/2", long(len));
        for window in [70_000, 4 * LONGEST] {
            let uris: Vec<_> =
                in_pieces(text.as_bytes(), window).into_iter().map(|(_, len, _)| len).collect();
            let expected = if is_found { vec![10, len, 10] } else { vec![10, 10] };
            assert_eq!(uris, expected, "{len} bytes, pieces of {window}");
        }
    }
    for (len, is_joined) in [(LONGEST_IN_ANGLE - 3, true), (LONGEST_IN_ANGLE - 2, false)] {
        let text = format!("<{}\nx>", long(len));
        for window in [100, 4 * LONGEST_IN_ANGLE] {
            let (offset, length, _) = in_pieces(text.as_bytes(), window).remove(0);
            assert_eq!((offset, length), (1, if is_joined { len + 2 } else { len }), "{len}");
        }
    }
    // A scheme that begins farther back than the search looks is not found.
    let text = format!("{}://a/b http://a/c", "x".repeat(LOOK_BEHIND));
    assert_eq!(in_pieces(text.as_bytes(), 50).len(), 1);
}

/// Texts in which every position looks like a beginning, in one piece or in words: quadratic work would not end here.
#[test]
fn hostile_texts_in_pieces_of_any_size() {
    let units = [
        "http://a",
        "http://[",
        "<a:",
        "<http://a\n",
        "mailto:",
        "(http://a/(",
        "\"http://a",
        "'http://a|",
        "www.a,",
        "www.a.bc/",
        ":",
        "http://a@:",
        "http://@",
        "a://(b",
        "urn:",
        "<URL:",
        "data:,",
    ];
    for unit in units {
        let text = unit.repeat((4 << 20) / unit.len());
        let words = [&text[..LONGEST / 2 / unit.len() * unit.len()], " "].concat().repeat(8);
        for text in [text, words] {
            let found = in_pieces(text.as_bytes(), 64 << 10);
            assert!(found == in_pieces(text.as_bytes(), 1 << 20), "{unit:?}");
        }
    }
}
