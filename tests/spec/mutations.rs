//! urimill against the oracle on real URIs, whole and damaged: two million seeded mutations.

use std::thread;

use urimill::Spec;

use crate::compare::compare_by;
use crate::shared;

const MUTATIONS: usize = 2_000_000;
const THREADS: u64 = 2;

/// Every shape of reference, for where there are no corpora.
#[rustfmt::skip]
pub(crate) const SHAPES: &[&str] = &[
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

/// Bytes that decide something: delimiters, percent signs, digits, letters of each role, and what no
/// component allows.
const BYTES: &[u8] = b":/?#@[]%.-+!$&'(),;=_~0129aAfFgGvVzZ\\\"<>^`{|} \t\r\x00\x7f\xC3\xA9\xFF";

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// 0 to `limit - 1`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// The corpora, or the built-in list.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = SHAPES.iter().map(|uri| uri.as_bytes().to_vec()).collect();
    if let Some(mut corpora) = shared::corpora() {
        // Real lists are monotonous: the shapes are to be drawn as often as a hundredth of them.
        let copies = corpora.len() / 100 / seeds.len();
        let shapes = seeds.clone();
        (0..copies).for_each(|_| seeds.extend(shapes.iter().cloned()));
        // Long tails hide no further delimiter and cost most of the time.
        corpora.iter_mut().for_each(|uri| uri.truncate(300));
        seeds.append(&mut corpora);
    }
    seeds
}

/// Changes one to three things in one of the seeds.
pub(crate) fn mutate(seeds: &[Vec<u8>], random: &mut Random, text: &mut Vec<u8>) {
    text.clear();
    text.extend_from_slice(&seeds[random.below(seeds.len())]);
    for _ in 0..=random.below(3) {
        let byte = BYTES[random.below(BYTES.len())];
        // Most that can go wrong stands near the start.
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

/// Leaves out pieces of a failing input while it still fails.
fn shrink(mut text: Vec<u8>, spec: Spec) -> Vec<u8> {
    let mut piece = text.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at + piece <= text.len() {
            let shorter = [&text[..at], &text[at + piece..]].concat();
            if compare_by(&shorter, spec).is_err() { text = shorter } else { at += 1 }
        }
        piece /= 2;
    }
    text
}

/// Compares `count` inputs; of those that differ, how many there are and the shortest.
fn run(count: usize, spec: Spec, mut next: impl FnMut(usize, &mut Vec<u8>)) -> (usize, Option<Vec<u8>>) {
    let (mut text, mut failures, mut shortest) = (Vec::new(), 0, None::<Vec<u8>>);
    for number in 0..count {
        next(number, &mut text);
        if compare_by(&text, spec).is_err() {
            failures += 1;
            if shortest.as_ref().is_none_or(|known| text.len() < known.len()) {
                shortest = Some(text.clone());
            }
        }
    }
    (failures, shortest)
}

fn report(what: &str, spec: Spec, results: impl IntoIterator<Item = (usize, Option<Vec<u8>>)>) {
    let (mut failures, mut inputs) = (0, Vec::new());
    for (count, input) in results {
        failures += count;
        inputs.extend(input.map(|input| shrink(input, spec)));
    }
    inputs.sort_by_key(Vec::len);
    if let Some(smallest) = inputs.first() {
        let difference = compare_by(smallest, spec).expect_err("a shrunk input still fails");
        panic!("{failures} {what} differ by {spec}; the smallest: {difference}");
    }
}

#[test]
fn real_uris_as_they_are() {
    let uris = shared::corpora().unwrap_or_default();
    let shapes = SHAPES.iter().map(|uri| uri.as_bytes().to_vec());
    let all: Vec<Vec<u8>> = shapes.chain(uris).collect();
    for spec in Spec::ALL {
        report("real URIs", spec, [run(all.len(), spec, |number, text| text.clone_from(&all[number]))]);
    }
}

/// A record ends where its slice ends, whatever stands behind it in memory: a digit that would complete a
/// triplet, a bracket that would close an address.
#[test]
fn every_prefix() {
    let real = shared::corpora().unwrap_or_default();
    let shapes = SHAPES.iter().map(|uri| uri.as_bytes());
    let some_real = real.iter().step_by(100).map(Vec::as_slice);
    for uri in shapes.chain(some_real) {
        for end in 0..=uri.len() {
            for spec in Spec::ALL {
                assert_eq!(compare_by(&uri[..end], spec), Ok(()));
            }
        }
    }
}

#[test]
fn mutations() {
    let seeds = seeds();
    for (spec, count) in Spec::ALL.into_iter().zip([MUTATIONS, MUTATIONS / 4, MUTATIONS / 2]) {
        each_mutation(&seeds, spec, count);
    }
}

fn each_mutation(seeds: &[Vec<u8>], spec: Spec, count: usize) {
    let results = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|seed| {
                let mut random = Random(0x5EED + seed);
                let count = count / THREADS as usize;
                scope.spawn(move || run(count, spec, |_, text| mutate(seeds, &mut random, text)))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect::<Vec<_>>()
    });
    report("mutations", spec, results);
}
