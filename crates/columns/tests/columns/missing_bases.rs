//! A reference with a scheme needs no base: without one it has the target that it has with any other.

use arrow::array::{Array, StringArray};
use urimill::batch::{Normalizer, Options, Reading, RfcOptions};
use urimill::resolve::Mode;
use urimill::{Level, Spec};

use crate::row::{combinations, options, rows};

#[test]
fn absolute_references_need_no_base() {
    // (reference, whether it has a scheme, also after repair)
    let references = [
        ("http://h/a", true, true),
        ("HTTP://u@H:80/%7Ea/../b?q#f", true, true),
        ("http:../g", true, true),
        ("urn:a:b/../c", true, true),
        ("x:%2e%2e/d", true, true),
        ("mailto:a@b", true, true),
        ("http://h/<", true, true),
        ("http://[/", true, true),
        (" http://h/a b", false, true),
        ("url:http://h/a", true, true),
        ("//h/a", false, false),
        ("a:", true, true),
        ("1a:b", false, false),
        ("/a", false, false),
        ("", false, false),
        ("?a:b", false, false),
    ];
    let texts = StringArray::from_iter_values(references.iter().map(|(text, ..)| text));
    let missing =
        StringArray::from_iter(references.iter().enumerate().map(|(i, _)| (i % 2 == 0).then_some("")));
    let others = StringArray::from_iter_values(references.iter().map(|_| "zz-none:x"));
    let mut readings = vec![Reading::Whatwg];
    for (level, repair) in combinations() {
        for (mode, spec) in [
            (Mode::Strict, Spec::Rfc3986),
            (Mode::Compatible, Spec::Rfc2396),
            (Mode::Compatible, Spec::Rfc3986Errata),
        ] {
            readings.push(Reading::Rfc(RfcOptions { spec, level, repair, mode, ..RfcOptions::default() }));
        }
    }
    for reading in readings {
        let table = |bases: &StringArray| {
            let options = Options { reading, ..options(Level::Scheme, false) };
            let (batch, _) = Normalizer::new(options).array_with_bases(&texts, bases).expect("a table");
            (rows(&batch), batch)
        };
        let ((found, batch), (with_other, _)) = (table(&missing), table(&others));
        for (row, (text, has_scheme, once_repaired)) in references.iter().enumerate() {
            let is_absolute = match reading {
                Reading::Rfc(rfc) if rfc.repair => *once_repaired,
                Reading::Rfc(_) => *has_scheme,
                // The parser of URLs passes over spaces.
                Reading::Whatwg => *once_repaired,
            };
            let shown = || format!("{text:?}, {reading:?}");
            if is_absolute {
                assert_eq!(found[row], with_other[row], "{}", shown());
            } else {
                let code = if reading == Reading::Whatwg {
                    "missing-scheme-non-relative-URL"
                } else {
                    "base_not_absolute"
                };
                assert_eq!(found[row].0.error.as_deref(), Some(code), "{}", shown());
            }
            if let Some(base) = batch.column_by_name("base") {
                assert!(base.is_null(row), "{}", shown());
            }
        }
    }
}
