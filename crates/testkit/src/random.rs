//! Seeds and seeded mutations of URI references, for comparisons with the oracle and for the bodies of the fuzz
//! targets.

use crate::shared;

/// Every shape of reference, for machines without corpora.
#[rustfmt::skip]
pub const SHAPES: &[&str] = &[
    "ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt",
    "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com",
    "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
    "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
    "foo://example.com:8042/over/there?name=ferret#nose", "urn:example:animal:ferret:nose",
    "http://example.com", "http://example.com/", "http://example.com:/", "http://example.com:80/",
    "HTTP://www.EXAMPLE.com/", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d",
    "http://user:pass@host.example:8080/a/b;c=d?e=f&g=h#i", "https://u@h/", "http://:@h/", "//h", "//h/p?q#f",
    "//", "///", "//@:", "/", "", "?", "#", "?q", "#f", "?#", "a", "./a:b", "../../x", "a/b/../c",
    "g;x=1/../y", "/a//b/./c/../d/.", "/..", "file:///etc/hosts", "file://localhost/c:/x", "file:/x",
    "http://[::1]/", "http://[::ffff:192.0.2.33]:80/x", "http://[2001:DB8:0:0:1:0:0:1]", "http://[v7.a:b!c]/",
    "http://[1:2:3:4:5:6:7:8]:?", "http://[FEDC::3210]?x", "http://256.1.1.1/", "http://1.2.3/",
    "http://127.0.0.1:99999/", "http://ex%41mple.com/%7Euser/%e2%82%ac", "http://xn--bcher-kva.example./",
    "http://a_b.example/!$&'()*+,;=:@", "dns:example.org", "data:text/plain;charset=utf-8,%E4%BD%A0",
    "javascript:void(0)", "about:blank", "a+b-c.1:x", "x:", "x:/", "x:?", "x:a//b", "x:/.//b",
    "http://h/%00?%2f#%3F", "http://h/a%2", "http://h/a b", "http://h/\u{e9}", "ht_tp://h/", "http://a:b/c",
    "http://a@b@c", "http://[::1",
];

/// Bytes that decide something: delimiters, percent signs, digits, letters of each role, and bytes that no component
/// allows.
const BYTES: &[u8] = b":/?#@[]%.-+!$&'(),;=_~0129aAfFgGvVzZ\\\"<>^`{|} \t\r\x00\x7f\xC3\xA9\xFF";

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    // Not an iterator: it has no end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// 0 to `limit - 1`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A text of up to `most` parts that make trouble: delimiters, triplets and pieces of them, bytes outside the
    /// grammar, and enough letters to cross the edges of blocks.
    pub fn text(&mut self, most: usize) -> Vec<u8> {
        const BEGINNINGS: [&str; 12] = [
            "",
            "http://",
            "https://",
            "//",
            "/",
            "HTTP://",
            "mailto:",
            "file://",
            "http:/",
            "http://u:p@",
            "a",
            "url:",
        ];
        const PARTS: [&[u8]; 48] = [
            b"/",
            b"/",
            b"/",
            b"?",
            b"#",
            b":",
            b"@",
            b".",
            b"/.",
            b"/..",
            b"/./",
            b"%41",
            b"%2e",
            b"%2F",
            b"%c3%a9",
            b"%",
            b"%4",
            b"%zz",
            b"-",
            b"--",
            b"~",
            b"[::1]",
            b"[",
            b"]",
            b"127.0.0.1",
            b":80",
            b":",
            b"example.com",
            b"xn--a",
            b"A",
            b"a",
            b"abc",
            b"0",
            b" ",
            b"\t",
            b"\"",
            b"<",
            b"\\",
            b"\r",
            b"\0",
            b"\xc3\xa9",
            b"\xff",
            b"!$&'()*+,;=",
            b"aaaaaaaaaaaaaaaa",
            b"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            b"localhost",
            b"com.",
            b"7",
        ];
        let mut text = BEGINNINGS[self.below(BEGINNINGS.len())].as_bytes().to_vec();
        // Half of the texts are made of harmless parts, so that some are valid.
        let kinds = if self.below(2) == 0 { PARTS.len() } else { 14 };
        for _ in 0..self.below(most + 1) {
            let part = self.below(kinds);
            let harmless = if kinds == 14 && self.below(2) == 0 { b"abcdefgh" } else { PARTS[part] };
            text.extend_from_slice(harmless);
        }
        text
    }
}

/// The corpora, or the built-in list.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = SHAPES.iter().map(|uri| uri.as_bytes().to_vec()).collect();
    if let Some(mut corpora) = shared::corpora() {
        // Real lists are monotonous: the shapes are drawn as often as a hundredth of their lines.
        let copies = corpora.len() / 100 / seeds.len();
        let shapes = seeds.clone();
        (0..copies).for_each(|_| seeds.extend(shapes.iter().cloned()));
        // Long tails hold no further delimiter and would take most of the time.
        corpora.iter_mut().for_each(|uri| uri.truncate(300));
        seeds.append(&mut corpora);
    }
    seeds
}

/// Changes one to three things in one of the seeds.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Random, text: &mut Vec<u8>) {
    text.clear();
    text.extend_from_slice(&seeds[random.below(seeds.len())]);
    for _ in 0..=random.below(3) {
        let byte = BYTES[random.below(BYTES.len())];
        // Most faults are near the start.
        let reach = if random.below(2) == 0 { text.len().min(24) } else { text.len() };
        let at = random.below(reach + 1);
        match random.below(5) {
            0 if at < text.len() => text[at] = byte,
            1 if at < text.len() => drop(text.remove(at)),
            2 if at < text.len() => text.insert(at, text[at]),
            3 => {
                let other = &seeds[random.below(seeds.len())];
                text.truncate(at);
                text.extend_from_slice(&other[random.below(other.len() + 1)..]);
            }
            _ => text.insert(at, byte),
        }
    }
}
