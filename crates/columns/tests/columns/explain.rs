//! Explanations: they agree with the table, and the bulk search finds the same as single calls.

use urimill::audit::Flags;
use urimill::batch::{Normalizer, Reading, RfcOptions};
use urimill::explain::bulk::{Counts, Scratch, differences, rejects};
use urimill::explain::{Contrast, Difference, Options, explain};
use urimill::simd::PADDING;
use urimill::{Level, Reject, Spec, UriRef, batch, normalize};

use crate::row::{options, rows};
use crate::{Rng, corpora, dataset};

/// `bytes` with the padding that kernels need.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut buffer = bytes.to_vec();
    buffer.push(b'\n');
    buffer.resize(bytes.len() + PADDING, 0);
    buffer
}

/// The records of `bytes` with the number of lines before each; without a byte-order mark, which the input removes.
fn records(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let lines = bytes.split_inclusive(|&b| b == b'\n').map(|line| match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    });
    lines.enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()).collect()
}

fn random(seed: u64, lines: usize) -> Vec<u8> {
    let mut rng = Rng(seed);
    let mut text = Vec::new();
    for _ in 0..lines {
        text.extend_from_slice(&rng.text(14));
        text.extend_from_slice([&b"\n"[..], b"\n", b"\r\n", b"\n\n"][rng.below(4)]);
    }
    text
}

/// Every text: the data sets, random ones, and the corpora.
fn texts() -> Vec<Vec<u8>> {
    let mut texts = vec![dataset("oddities.txt"), dataset("sample.txt"), random(7, 4000)];
    texts.extend(corpora().iter().map(|path| std::fs::read(path).expect("a corpus")));
    texts
}

/// The row of each record agrees with its explanation: normal form, flags, code and offset.
#[test]
fn explain_agrees_with_the_row_of_the_table() {
    let all = [
        (Level::Scheme, false, None, Spec::Rfc3986),
        (Level::Scheme, true, None, Spec::Rfc3986),
        (Level::Percent, true, None, Spec::Rfc2396),
        (Level::None, false, None, Spec::Rfc3986),
        (Level::Scheme, true, Some("https"), Spec::Rfc3986),
        (Level::Scheme, true, None, Spec::Rfc3986Errata),
        (Level::Scheme, true, None, Spec::Rfc2396),
    ];
    for (i, bytes) in texts().iter().enumerate() {
        // All combinations for the small sets, one each for the others.
        let combinations = if i < 3 { &all[..] } else { &all[i % all.len()..][..1] };
        for &(level, repair, scheme, spec) in combinations {
            let default_scheme = scheme.map(|scheme| scheme.parse().expect("a scheme"));
            let rfc = RfcOptions { spec, level, repair, default_scheme, ..RfcOptions::default() };
            let options = batch::Options { reading: Reading::Rfc(rfc), ..options(level, repair) };
            let (table, _) = Normalizer::new(options).text(bytes).expect("a batch");
            let rows = rows(&table);
            let records = records(bytes);
            assert_eq!(rows.len(), records.len());
            for ((row, place), (_, record)) in rows.iter().zip(records) {
                let told = explain(
                    record,
                    &Options::new().level(level).repair(repair).spec(spec).default_scheme(default_scheme),
                );
                let shown = record.escape_ascii();
                let Some(reference) = told.reference else {
                    let reject = told.fault.expect("a reject has a fault").reject;
                    assert_eq!(row.error.as_deref(), Some(reject.code.as_str()), "{shown}");
                    assert_eq!(row.error_offset, Some(reject.offset as i32), "{shown}");
                    continue;
                };
                assert_eq!(row.uri.as_deref(), Some(reference.normal.as_str()), "{shown}");
                assert_eq!(Flags(place.flags), reference.flags, "{shown} at {level} by {spec}");
                assert_eq!(
                    (&row.error, place.flags & Flags::REPAIRED.0 != 0),
                    (&None, told.mended.is_some())
                );
            }
        }
    }
}

/// Step by step from the text to the normal form: each step changes something, and every form on the way is valid.
#[test]
fn steps_end_in_the_normal_form() {
    for spec in Spec::ALL {
        for (_, record) in texts().iter().take(3).flat_map(|bytes| records(bytes)) {
            let Ok(uri) = UriRef::parse_as(record, spec) else { continue };
            let told = explain(record, &Options::new().spec(spec));
            let reference = told.reference.expect("a valid text is a reference");
            let mut now = uri.as_str();
            for step in &reference.steps {
                assert_eq!(step.before, now, "{spec} {uri}");
                assert_ne!(step.before, step.after, "{spec} {uri}");
                assert!(UriRef::parse_as(&step.after, spec).is_ok(), "{spec} {uri}: {}", step.after);
                now = &step.after;
            }
            assert_eq!(now, normalize(&uri, Level::Scheme), "{spec} {uri}");
        }
    }
}

#[test]
fn bulk_rejects_equal_single_rejects() {
    for (i, bytes) in texts().iter().enumerate() {
        for spec in Spec::ALL {
            if i > 2 && spec != Spec::ALL[i % 3] {
                continue;
            }
            let mut found: Vec<(usize, Vec<u8>, Reject)> = Vec::new();
            let how = (spec, 1 << 20);
            let counts =
                rejects(&padded(bytes), bytes.len(), how, &mut Scratch::default(), |record, reject| {
                    found.push((record.lines_before, record.text.to_vec(), reject));
                });
            let all = records(bytes);
            let plain = all.iter().filter_map(|&(before, text)| {
                UriRef::parse_as(text, spec).err().map(|reject| (before, text.to_vec(), reject))
            });
            assert!(plain.eq(found.iter().cloned()), "text {i} by {spec}");
            assert_eq!(counts, Counts { records: all.len() as u64, found: found.len() as u64 });
        }
    }
}

/// The fast path misses no difference: it agrees with the full comparison on every record of the corpora.
#[test]
fn bulk_differences_equal_single_differences() {
    let bases = [None, Some("http://example.com/a/b?q"), Some("http://www.Example.com:80")];
    for (i, bytes) in texts().iter().enumerate() {
        for (j, base) in bases.into_iter().enumerate() {
            if i > 2 && j != i % 3 {
                continue;
            }
            let mut bytes = bytes.clone();
            if let Some(base) = base {
                // References into the base's own document, in the base's spelling and in its normal form.
                bytes
                    .extend_from_slice(format!("\n{base}\n{base}#f\nhttp://www.example.com/#f\n").as_bytes());
            }
            let contrast = Contrast::new(&Spec::ALL, Level::Scheme, base).expect("a contrast");
            let mut found: Vec<(usize, Vec<Difference>)> = Vec::new();
            let how = (&contrast, 1 << 20);
            differences(&padded(&bytes), bytes.len(), how, &mut Scratch::default(), |record, differences| {
                found.push((record.lines_before, differences.to_vec()));
            });
            let plain = records(&bytes)
                .into_iter()
                .map(|(before, text)| (before, contrast.differences(text)))
                .filter(|(_, differences)| !differences.is_empty());
            assert!(plain.eq(found.iter().cloned()), "text {i} with base {base:?}");
        }
    }
}

#[test]
fn a_record_that_is_too_long_is_a_reject_and_no_difference() {
    let text = b"http://example.com/\nhttp://256.1.1.1/aaaaaaaaaa\n/b\n";
    let mut found = Vec::new();
    let counts =
        rejects(&padded(text), text.len(), (Spec::Rfc3986, 20), &mut Scratch::default(), |record, reject| {
            found.push((record.lines_before, reject.code.as_str(), reject.offset))
        });
    assert_eq!((found.as_slice(), counts.records), (&[(1, "too_long", 20)][..], 3));
    let contrast = Contrast::new(&Spec::ALL, Level::Scheme, None).expect("a contrast");
    let counts =
        differences(&padded(text), text.len(), (&contrast, 20), &mut Scratch::default(), |record, _| {
            panic!("{}", record.text.escape_ascii())
        });
    assert_eq!(counts, Counts { records: 3, found: 0 });
    let told = explain(b"/aaaa", &Options::new().max_record(4).repair(true));
    let reject = told.fault.expect("a fault").reject;
    assert_eq!((reject.code.as_str(), reject.offset, told.mended), ("too_long", 4, None));
}
