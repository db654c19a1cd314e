//! Texts and the parts that are hidden in them, and texts in which nothing is hidden.

use super::*;

/// (text, masked, without user information)
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str)] = &[
    ("http://joe:secret@h/", "http://joe:***@h/", "http://h/"),
    ("HTTP://joe:a:b@h:80/x@y", "HTTP://joe:***@h:80/x@y", "HTTP://h:80/x@y"),
    ("//joe:secret@h", "//joe:***@h", "//h"),
    ("http://joe@h/", "http://joe@h/", "http://h/"),
    ("http://@h/", "http://@h/", "http://h/"),
    ("http://joe:@h/", "http://joe:@h/", "http://h/"),
    ("http://:pw@h/", "http://:***@h/", "http://h/"),
    ("http://u:a@b@h/", "http://u:***@h/", "http://h/"),
    ("http://joe:se cret@h/ x", "http://joe:***@h/ x", "http://h/ x"),
    (" <http://joe:pw@h/>", " <http://joe:***@h/>", " <http://h/>"),
    ("URL:<http://joe:p w@h/>", "URL:<http://joe:***@h/>", "URL:<http://h/>"),
    ("\"http://joe:pw@h/\"", "\"http://joe:***@h/\"", "\"http://h/\""),
    ("http:\\\\joe:pw@h\\", "http:\\\\joe:***@h\\", "http:\\\\h\\"),
    ("http://DOMAIN\\joe:pw@h/", "http://DOMAIN\\joe:***@h/", "http://h/"),
    ("http:///joe:pw@h/", "http:///joe:***@h/", "http:///h/"),
    // A password with a delimiter in it, in an invalid text.
    ("http://joe:pa/ss@h/x", "http://joe:***@h/x", "http://h/x"),
    ("http://joe:p#s?t@h/x@y", "http://joe:***@h/x@y", "http://h/x@y"),
    // URIs without any.
    ("http://h:80/a@b", "http://h:80/a@b", "http://h:80/a@b"),
    ("http://h:/a@b", "http://h:/a@b", "http://h:/a@b"),
    ("http://h/x:y@z", "http://h/x:y@z", "http://h/x:y@z"),
    ("http://h//x:y/a@z/", "http://h//x:y/a@z/", "http://h//x:y/a@z/"),
    ("http://h//@x/", "http://h//@x/", "http://h//@x/"),
    ("http://[::1]/a@b", "http://[::1]/a@b", "http://[::1]/a@b"),
    ("mailto:joe:x@h", "mailto:joe:x@h", "mailto:joe:x@h"),
    ("x:/joe:pw@h", "x:/joe:pw@h", "x:/joe:pw@h"),
    ("/a:b@c", "/a:b@c", "/a:b@c"),
    ("joe:pw@h", "joe:pw@h", "joe:pw@h"),
    ("CONNECT joe:pw@h:443 HTTP/1.1", "CONNECT joe:***@h:443 HTTP/1.1", "CONNECT h:443 HTTP/1.1"),
    ("CONNECT h:443 HTTP/1.1", "CONNECT h:443 HTTP/1.1", "CONNECT h:443 HTTP/1.1"),
    // A password with a space in it, encoded in a query, and in running text; and texts without a password.
    ("/?r=http%3A%2F%2Fjoe%3Amy%20pass%40h%2F", "/?r=http%3A%2F%2Fjoe%3A***%40h%2F", "/?r=http%3A%2F%2Fh%2F"),
    ("/?r=http://joe:my%20pass@h/&m=a@b", "/?r=http://joe:***@h/&m=a@b", "/?r=http://h/&m=a@b"),
    ("/?q=see%20http%3A%2F%2Fh%2Fa%20or%20a%40b", "/?q=see%20http%3A%2F%2Fh%2Fa%20or%20a%40b", "/?q=see%20http%3A%2F%2Fh%2Fa%20or%20a%40b"),
    ("see http://joe:my pass@h/ now", "see http://joe:***@h/ now", "see http://h/ now"),
    ("GET /?r=http://joe:my pass@h/ HTTP/1.1", "GET /?r=http://joe:***@h/ HTTP/1.1", "GET /?r=http://h/ HTTP/1.1"),
    ("x http://h:80 a@b", "x http://h:80 a@b", "x http://h:80 a@b"),
    ("x http://h: a@b", "x http://h: a@b", "x http://h: a@b"),
    ("x http://h/a:b c@d", "x http://h/a:b c@d", "x http://h/a:b c@d"),
    ("x http://host:port or a@b", "x http://host:port or a@b", "x http://host:port or a@b"),
    ("x http://h a@b", "x http://h a@b", "x http://h a@b"),
    // Within other texts.
    ("http://h/?u=http://joe:pw@h/&m=a@b", "http://h/?u=http://joe:***@h/&m=a@b", "http://h/?u=http://h/&m=a@b"),
    ("http://h/?u=http://i:80&m=a@b", "http://h/?u=http://i:80&m=a@b", "http://h/?u=http://i:80&m=a@b"),
    ("http://a:b@c/http://d:e@f", "http://a:***@c/http://d:***@f", "http://c/http://f"),
    ("x \"http://h:80\" \"joe@h\"", "x \"http://h:80\" \"joe@h\"", "x \"http://h:80\" \"joe@h\""),
    (r#"{"u":"http:\/\/joe:pw@h\/"}"#, r#"{"u":"http:\/\/joe:***@h\/"}"#, r#"{"u":"http:\/\/h\/"}"#),
    ("ht%20tp%3A//joe:pw@h/", "ht%20tp%3A//joe:***@h/", "ht%20tp%3A//h/"),
    ("the base \"//joe:pw@h\" (//a:b@c)", "the base \"//joe:***@h\" (//a:***@c)", "the base \"//h\" (//c)"),
    ("x // a:b@c", "x // a:b@c", "x // a:b@c"),
    (r#"{"u":"http://joe:p w@h/","v":"http://joe:p/w@h/x@y"}"#, r#"{"u":"http://joe:***@h/","v":"http://joe:***@h/x@y"}"#,
        r#"{"u":"http://h/","v":"http://h/x@y"}"#),
    (r#"{"u":"http://h/","v":"a:b@c"}"#, r#"{"u":"http://h/","v":"a:b@c"}"#, r#"{"u":"http://h/","v":"a:b@c"}"#),
    ("x <http://joe:p w@h/> <a@b>", "x <http://joe:***@h/> <a@b>", "x <http://h/> <a@b>"),
    ("1 - http://joe:pw@h/ 200", "1 - http://joe:***@h/ 200", "1 - http://h/ 200"),
    // By the URL Standard.
    ("http:/joe:pw@h/", "http:/joe:***@h/", "http:/h/"),
    ("http:joe:pw@h/", "http:joe:***@h/", "http:h/"),
    ("HTTPS:\\joe:pw@h/", "HTTPS:\\joe:***@h/", "HTTPS:\\h/"),
    ("ht\ttp:/joe:pw@h/", "ht\ttp:/joe:***@h/", "ht\ttp:/h/"),
    ("http:/\t/joe:pw@h/", "http:/\t/joe:***@h/", "http:/\t/h/"),
    // White space that was collapsed.
    ("see ht tp:/joe:pw@h/", "see ht tp:/joe:***@h/", "see ht tp:/h/"),
    ("see http: /joe:pw@h/", "see http: /joe:***@h/", "see http: /h/"),
    ("see http: //h:80 a@b", "see http: //h:80 a@b", "see http: //h:80 a@b"),
    ("/\\joe:pw@h/", "/\\joe:***@h/", "/\\h/"),
    ("GET ws:/joe:pw@h/ 200", "GET ws:/joe:***@h/ 200", "GET ws:/h/ 200"),
    ("http: joe@h", "http: joe@h", "http:h"),
    ("x http: joe@h", "x http: joe@h", "x http: joe@h"),
    // A path that may be read as a reference.
    ("/.//joe:pw@h/", "/.//joe:***@h/", "/.//h/"),
    ("http://v//joe:pw@h/", "http://v//joe:***@h/", "http://v//h/"),
    // URIs in queries, which delimiters do not end, and encoded ones.
    ("/?r=http://joe:p/w@h/", "/?r=http://joe:***@h/", "/?r=http://h/"),
    ("/?r=http://joe:p&w@h/&x", "/?r=http://joe:***@h/&x", "/?r=http://h/&x"),
    ("/?r=http%3A%2F%2Fjoe%3Apw%40h%2F", "/?r=http%3A%2F%2Fjoe%3A***%40h%2F", "/?r=http%3A%2F%2Fh%2F"),
    ("/?r=http%253a//joe:p%2577@h", "/?r=http%253a//joe:***@h", "/?r=http%253a//h"),
    ("/?r=http%3A%2Fjoe:p%2Fw%40h", "/?r=http%3A%2Fjoe:***%40h", "/?r=http%3A%2Fh"),
    ("/?r=%2F%2Fh&m=a%40b", "/?r=%2F%2Fh&m=a%40b", "/?r=%2F%2Fh&m=a%40b"),
    ("http://joe:p%40w@h/", "http://joe:***@h/", "http://h/"),
    (r"\x2f\x2fjoe:pw@h", r"\x2f\x2fjoe:***@h", r"\x2f\x2fh"),
    (r#""http:\u002f\u002fjoe:pw\u0040h""#, r#""http:\u002f\u002fjoe:***\u0040h""#, r#""http:\u002f\u002fh""#),
    ("http:&#47;&#x2F;joe:pw&#64;h/", "http:&#47;&#x2F;joe:***&#64;h/", "http:&#47;&#x2F;h/"),
    (r"the base ht\ttp:/joe:pw@h", r"the base ht\ttp:/joe:***@h", r"the base ht\ttp:/h"),
    ("", "", ""),
    ("//", "//", "//"),
    ("://:@", "://:@", "://"),
];

#[test]
fn what_is_hidden() {
    for &(text, expected, bare) in TABLE {
        assert_eq!(masked(text), expected, "{text}");
        assert_eq!(masked(expected), expected, "{text}: twice is once");
        let dropped = hidden(text.as_bytes(), Hide::UserInfo);
        assert_eq!(String::from_utf8_lossy(&dropped), bare, "{text}");
        assert!(matches!(hidden(text.as_bytes(), Hide::Nothing), Cow::Borrowed(_)));
    }
}

#[test]
fn every_place_outside_a_mask_is_the_same_character() {
    for &(text, expected, _) in TABLE {
        let shown = Masked::new(text.as_bytes(), false);
        assert_eq!(shown.text, expected.as_bytes());
        assert_eq!(shown.at(text.len()), expected.len(), "{text}");
        let cuts = cuts(text.as_bytes(), Hide::Passwords);
        for (at, byte) in text.bytes().enumerate() {
            let now = shown.text[shown.at(at)];
            match cuts.iter().any(|cut| cut.contains(&at)) {
                true => assert_eq!(now, b'*', "{text}: {at}"),
                false => assert_eq!(now, byte, "{text}: {at}"),
            }
        }
    }
}

#[test]
fn no_text_changes_a_second_time() {
    // Every text of this many of these pieces.
    const PIECES: [&str; 11] = ["http:", "//", "/", "j:", "p", "@", "%40", "%2F%2F", "?", "&", " "];
    let mut texts = alloc::vec![String::new()];
    for _ in 0..4 {
        texts = texts.iter().flat_map(|text| PIECES.map(|piece| text.clone() + piece)).collect();
        for text in &texts {
            let once = masked(text);
            assert_eq!(masked(&once), once, "{text}");
        }
    }
}

#[test]
fn long_texts_in_which_every_word_may_begin_a_uri() {
    // (before, a piece that is repeated often, after, the end as it is shown)
    let cases = [
        ("@/", "http:", "", "http:http:"),
        ("", "http:", " @", "http:http:***@"),
        ("x ", "http:", " @", "http:http: @"),
        ("x ", "x/http:[", "/@h", "/@h"),
        ("@ ", "http:a:b/", "", "http:a:b/"),
        ("x ", "<http:a", "@>", "***@>"),
        ("x ", "=\\\\a", ":1111/@", ":1111/@"),
        ("x \"", "http:a", "/ @\"", "/ @\""),
    ];
    for (before, piece, after, shown) in cases {
        let text = [before, &piece.repeat(200_000), after].concat();
        let masked = masked(&text);
        assert!(masked.ends_with(shown), "{piece}: {}", &masked[masked.len().saturating_sub(100)..]);
    }
    let many = "x/http:a:b/@".repeat(100_000);
    assert_eq!(masked(&many), "x/http:a:***@".repeat(100_000));
}

#[test]
fn segments_of_paths() {
    for (text, expected) in [
        ("/joe:pw@h/a", "/joe:***@h/a"),
        ("http://b/joe:pw@h/", "http://b/joe:***@h/"),
        ("joe:pw@h/", "joe:***@h/"),
        ("/a/b@c", "/a/b@c"),
    ] {
        assert_eq!(masked_segments(text), expected);
    }
}

#[test]
fn user_information_by_itself() {
    for (userinfo, masked) in [
        ("joe:pw", "joe:***"),
        ("joe", "joe"),
        ("joe:", "joe:"),
        (":a:b", ":***"),
        ("joe%3Apw", "joe%3A***"),
        ("joe%253apw:x", "joe%253a***"),
        ("joe:p%3Aw", "joe:***"),
        ("j%6Fe%3A", "j%6Fe%3A"),
    ] {
        assert_eq!(masked_userinfo(userinfo), masked);
    }
}
