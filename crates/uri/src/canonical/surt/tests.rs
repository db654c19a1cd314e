//! Plain keys compared with those of the steps: for a table, for every byte at every place of a window, and for
//! generated texts.

use super::plain::{BEHIND, LANES, ROOM};
use super::*;
use alloc::format;
use alloc::string::String;

/// The key of a URI by way of its steps.
fn in_steps(uri: &UriRef<'_>) -> String {
    let mut key = Vec::new();
    write_in_steps(uri, &SurtOptions::default(), &mut key);
    String::from_utf8(key).expect("a key is ASCII")
}

/// Writes keys into the middle of a buffer that is full of other bytes.
struct Keys {
    writer: SurtWriter,
    /// The number of URIs, and the number of plain ones among them.
    count: (usize, usize),
}

impl Keys {
    fn new() -> Self {
        Keys { writer: SurtWriter::new(SurtOptions::default()), count: (0, 0) }
    }

    /// The key, if the URI is plain, whatever follows the text and was in the buffer.
    fn plain(&mut self, uri: &UriRef<'_>) -> Option<String> {
        let mut keys = [(b'/', b'%'), (b'%', b'/'), (b'&', b'='), (b'A', b'z')].map(|(behind, before)| {
            let mut text = uri.as_str().as_bytes().to_vec();
            text.resize(text.len() + BEHIND, behind);
            let mut room = alloc::vec![before; uri.as_str().len() + ROOM];
            let len = self.writer.write_plain(&text, (&uri.split(), uri.host_kind()), &mut room)?;
            Some(String::from_utf8(room[..len].to_vec()).expect("a key is ASCII"))
        });
        assert!(keys.iter().all(|key| *key == keys[0]), "{uri}: {keys:?}");
        keys[0].take()
    }

    /// A plain key equals that of the steps; returns whether there is one.
    fn check(&mut self, text: &[u8], spec: Spec) -> bool {
        let Ok(uri) = UriRef::parse_as(text, spec) else { return false };
        if !uri.is_uri() {
            return false;
        }
        let (plain, expected) = (self.plain(&uri), in_steps(&uri));
        if let Some(key) = &plain {
            assert_eq!(*key, expected, "{uri}, {spec}");
        }
        let mut alone = b"before".to_vec();
        write_surt(&uri, &SurtOptions::default(), &mut alone);
        assert_eq!(String::from_utf8(alone), Ok(format!("before{expected}")), "{uri}, {spec}");
        self.count = (self.count.0 + 1, self.count.1 + usize::from(plain.is_some()));
        plain.is_some()
    }
}

/// (URI, whether it is plain)
#[rustfmt::skip]
const TABLE: &[(&str, bool)] = &[
    ("http://www.example.com/a/b", true),
    ("https://example.com/", true),
    ("https://example.com", true),
    // An empty path before a query.
    ("https://example.com?b&a", true),
    ("ftp://h.example/A/B/?C=D&c=d&B", true),
    // Neither the scheme nor the user is in a key.
    ("foo+bar://user:Pass@www.example.com/x", true),
    // Slashes at the end: one goes, two are for the steps.
    ("http://h/a/", true),
    ("http://h/a//", false),
    ("http://h//", false),
    ("http://host/?", true),
    ("http://h/a/?", true),
    ("http://h/a?&", true),
    ("http://h/a?&&b", true),
    ("http://h/a?=&b", true),
    ("http://h/./", false),
    ("http://h/a/../b", false),
    ("http://h/.well-known/x", false),
    ("http://h/a./b", true),
    ("http://h/a?b=//c/../d", true),
    // Hosts.
    ("http://www/a", true),
    ("http://www./a", true),
    ("http://www1.example.com/", true),
    ("http://www23.example.com/", true),
    ("http://wwww.example.com/", true),
    ("http://wwwa/", true),
    ("http://www.www.example.com/", true),
    ("http://www.com/", true),
    ("http://www.c./", true),
    ("http://w/", true),
    ("http://example.com./", true),
    ("http://Example.com/", true),
    ("http://WWW7.Example.COM./a", true),
    ("http://Www/", true),
    ("http://www12/", true),
    ("http://www1.com.", true),
    ("http://WWW.a234567890123456789012345678.co.uk/A", true),
    ("http://www.www2.a234567890123456789012345678.co.uk./?b&a", true),
    ("http://a.b.c.d.e.f.g.h.i.j.k.l.m.n.o/p", true),
    ("http://a23456789012345678901234567.com/", true),
    ("http://a234567890123456789012345678.com/", true),
    ("http://1.2.3.4/", false),
    ("http://16909060/", false),
    ("http://1.2.3.a/", true),
    ("http://4chan.example/", true),
    ("http://[::1]/", false),
    ("http://a_b.example/", false),
    ("http://a%2Eb/", false),
    ("http://h:80/", false),
    ("http://h:8080/", false),
    ("http://h:/", false),
    ("http://http://a/b", false),
    ("http:////a/b", false),
    ("file:///a", false),
    ("mailto:a@b", false),
    ("filedesc://example.com/A", false),
    // As long a scheme.
    ("filedesd://example.com/A", false),
    // Triplets.
    ("http://h/%41%7e%C3%a9?%26%3D=%3f%23", true),
    ("http://h/a%2F", true),
    ("http://h/a%2F/", false),
    ("http://h/%2e%2e/a", false),
    ("http://h/%28a", false),
    ("http://h/%2541", true),
    ("http://host/?%2541", true),
    ("http://host/?%25", true),
    ("http://h/%25%32%35%34%31/%25zz", true),
    ("http://h/%25%34%31%2520%25C3%25A9?a=%252526&%2525zz", true),
    ("http://h/%252e%252E/a", false),
    ("http://h/%252Fa", false),
    ("http://h/a/%252Fa", false),
    ("http://h/%0a%00%7f%20?%0A%00%7F%20", true),
    ("http://host/?b%26a=%26&A", true),
    ("http://h/a?jsession%69d=0123456789abcdef0123456789abcdef", false),
    // Session identifiers, and texts that look like them.
    ("http://h/a;jsessionid=0123456789abcdef0123456789abcdef", true),
    ("http://h/a?jsessionid=0123456789abcdef0123456789abcdef", false),
    ("http://h/a?JSESSIONID=0123456789ABCDEF0123456789ABCDEF&b", false),
    ("http://h/a?jsessionid=0123456789abcdef0123456789abcde", true),
    ("http://h/a?phpsessid=0123456789abcdef0123456789abcdef&a", false),
    ("http://h/a?asid=0123456789abcdef0123456789abcdef", false),
    ("http://h/a?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX", false),
    ("http://h/a?aspsessionidABCDEFG1=ABCDEFGHIJKLMNOPQRSTUVWX", true),
    ("http://h/a?cfid=1&cftoken=2", false),
    ("http://h/a?cfid=1&cftoke=2", true),
    ("http://h/a?id=1&grid=2&Video=3", true),
    ("http://h/(S(4hqa0555fwsecu455xqckv45))/x.aspx", false),
    ("http://h/a?(b)", true),
    // The order of parameters.
    ("http://h/a?a=&a&a=b&a", true),
    ("http://h/a?a-b=1&a=2&a1=3&a==", true),
    ("http://h/a?b=a=b&b=a&b=A", true),
    ("http://h/a?p&o&n&m&l&k&j&i&h&g&f&e&d&c&b&a", true),
    ("http://h/a?q&p&o&n&m&l&k&j&i&h&g&f&e&d&c&b&a", false),
    // Too few bytes precede the query for a window that begins there.
    ("http://h/?", false),
    ("a:/b", false),
    ("a://b?c", false),
    ("a://b/?c", false),
];

#[test]
fn plain_keys_are_those_of_the_steps() {
    let mut wrong = Vec::new();
    for &(text, is_plain) in TABLE {
        let mut keys = Keys::new();
        // A known host makes no difference.
        for round in 0..2 {
            if keys.check(text.as_bytes(), Spec::Rfc3986) != is_plain || keys.count.0 != round + 1 {
                wrong.push(text);
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Every byte at the places around the borders of the windows.
#[test]
fn every_byte_at_every_place() {
    let mut keys = Keys::new();
    for len in (0..=2 * LANES + 2).chain([3 * LANES, 3 * LANES + 1]) {
        for at in 0..len {
            for byte in 0..=255 {
                for beginning in ["http://www.example.com/", "http://h.example/?", "http://h.example/a?b=c&"]
                {
                    let mut text = beginning.as_bytes().to_vec();
                    text.extend((0..len).map(|other| if other == at { byte } else { b'x' }));
                    keys.check(&text, Spec::Rfc3986);
                }
            }
        }
    }
    let (count, plain) = keys.count;
    assert!(count > 100_000 && plain > count * 9 / 10, "{plain} of {count}");
}

/// Texts of the pieces that the rules are about.
#[test]
fn generated_texts() {
    #[rustfmt::skip]
    const PIECES: [&str; 56] = [
        "a", "B", "id", "sid=", "=", "=", "&", "&", "/", "/", "?", ".", "..", "%", "%41", "%2F", "%25", "%3D", "%26",
        "%3f", "%c3%A9", "(", ")", ";", "#", ":", "@", "www.", "www1.", "-", "_", "~", "0123456789abcdef", "12345678",
        "ABCDEFGHIJKLMNOPQRSTUVWX", "jsessionid=", "phpsessid=", "aspsessionid", "cfid=1", "cftoken=", ".aspx", "/(",
        "utm_source", "example", ".com", ":80", ":8080", "//", "/./", "%2e", "&a=", "&a", "&B=1", "x", "y", "'$",
    ];
    const BEGINNINGS: [&str; 12] = [
        "http://",
        "https://www.",
        "http://h/",
        "http://example.com/a",
        "https://www.example.com/?",
        "http://h.example/a?",
        "ftp://u:p@",
        "http://www.example.com",
        "HTTP://A.",
        "http:",
        "http://h/a;jsessionid=",
        "http://www.example.com/x?y&",
    ];
    let mut keys = Keys::new();
    // A sequence that is the same in every run (Steele and Vigna's SplitMix64).
    let mut state = 2026u64;
    let mut random = |below: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ bits >> 31) % below as u64) as usize
    };
    for _ in 0..150_000 {
        let mut text = String::from(BEGINNINGS[random(BEGINNINGS.len())]);
        for _ in 0..random(16) {
            text.push_str(PIECES[random(PIECES.len())]);
        }
        let spec = Spec::ALL[random(Spec::ALL.len())];
        keys.check(text.as_bytes(), spec);
    }
    let (count, plain) = keys.count;
    assert!(count > 50_000 && plain > 10_000, "{plain} of {count}");
}
