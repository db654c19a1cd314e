//! Percent-encoding of paths and queries: `decode` their text as it is in URIs, `encode` the decoded data, either for
//! its component or for any place (`encode-unreserved`, all that urlencoding does).
//!
//! `all` has every path and query. Most have nothing to encode, so this measures how fast that is found out; each text
//! in `triplets` has a triplet. All peers may borrow texts that they do not change, and all do; texts and data are
//! bytes. The work is the same: answers are compared before anything is measured.

use std::borrow::Cow;
use std::hint::black_box;

use criterion::{Criterion, SamplingMode, Throughput};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use urimill::encode::{Part, decode, encode};
use urimill::{Spec, UriRef};

use data::Data;

mod data;

/// The sets of RFC 3986 in the form that percent-encoding takes: the characters that are encoded.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PCHAR: &AsciiSet = &UNRESERVED
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');
const PATH: &AsciiSet = &PCHAR.remove(b'/');
const QUERY: &AsciiSet = &PATH.remove(b'?');

/// A component as it is in its URI, and its decoded data.
struct Text<'a> {
    part: Part,
    encoded: &'a [u8],
    data: Vec<u8>,
}

fn main() {
    let mut criterion = data::criterion();
    let (clean, links) = (Data::clean(), Data::links());
    let links: Vec<_> = links.lines().into_iter().filter_map(|line| Some(line.split_once('\t')?.1)).collect();
    let lines = clean.lines();
    let uris: Vec<_> = lines.iter().chain(&links).filter_map(|line| UriRef::parse(*line).ok()).collect();
    let texts = || {
        let parts = uris.iter().flat_map(|uri| [(Part::Path, Some(uri.path())), (Part::Query, uri.query())]);
        parts.filter_map(|(part, text)| Some((part, text?.as_bytes()))).filter(|(_, text)| !text.is_empty())
    };
    let text = |(part, encoded)| Text { part, encoded, data: ours_decoded(encoded).into_owned() };
    bench(&mut criterion, "all", &texts().map(text).collect::<Vec<_>>());
    let triplets = texts().filter(|(_, text)| text.contains(&b'%'));
    bench(&mut criterion, "triplets", &triplets.map(text).collect::<Vec<_>>());
    criterion.final_summary();
}

/// The result of a library for one text.
type Work = for<'a> fn(&'a Text<'_>) -> Cow<'a, [u8]>;

const DECODE: [(&str, Work); 3] = [
    ("urimill", |text| ours_decoded(text.encoded)),
    ("percent-encoding", |text| percent_decode(text.encoded).into()),
    ("urlencoding", |text| urlencoding::decode_binary(text.encoded)),
];

const ENCODE: [(&str, Work); 2] = [
    ("urimill", |text| bytes(encode(&text.data, text.part, Spec::Rfc3986).unwrap_or_default())),
    ("percent-encoding", |text| {
        bytes(percent_encode(&text.data, if text.part == Part::Path { PATH } else { QUERY }).into())
    }),
];

const ENCODE_UNRESERVED: [(&str, Work); 3] = [
    ("urimill", |text| bytes(encode(&text.data, Part::Unreserved, Spec::Rfc3986).unwrap_or_default())),
    ("percent-encoding", |text| bytes(percent_encode(&text.data, UNRESERVED).into())),
    ("urlencoding", |text| bytes(urlencoding::encode_binary(&text.data))),
];

fn ours_decoded(text: &[u8]) -> Cow<'_, [u8]> {
    decode(text).expect("the component of a URI")
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn bench(criterion: &mut Criterion, which: &str, texts: &[Text<'_>]) {
    let works: [(&str, &[(&str, Work)]); 3] =
        [("decode", &DECODE), ("encode", &ENCODE), ("encode-unreserved", &ENCODE_UNRESERVED)];
    for (what, libraries) in works {
        let (_, ours) = libraries[0];
        for (name, theirs) in libraries {
            let differs = texts.iter().find(|text| ours(text) != theirs(text));
            let differs = differs.map(|text| text.encoded.escape_ascii().to_string());
            assert_eq!(differs, None, "{what}: {name} does something else");
        }
        let mut group = criterion.benchmark_group(format!("{what}/{which}"));
        let size = texts.iter().map(|text| text.encoded.len() as u64).sum();
        group.throughput(Throughput::ElementsAndBytes { elements: texts.len() as u64, bytes: size });
        group.sampling_mode(SamplingMode::Flat);
        for (name, work) in libraries {
            group.bench_function(*name, |b| {
                b.iter(|| texts.iter().for_each(|text| drop(black_box(work(black_box(text))))));
            });
        }
        group.finish();
    }
}
