//! The hostile URIs in tables: the same results as in single calls.

use arrow::array::{Array, AsArray, BinaryArray, RecordBatch};
use arrow::datatypes::Int32Type;
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::explain::{self, explain};
use urimill::resolve::{Mode, resolve};
use urimill::simd::Isa;
use urimill::{Level, UriRef, normalize};

use super::said;
use urimill_testkit::hostile::TABLE;

fn columns() -> Columns {
    Columns::new([Column::Uri, Column::Host, Column::Port, Column::Flags, Column::Error, Column::ErrorOffset])
}

/// The result in a row of a batch.
fn row(batch: &RecordBatch, at: usize) -> String {
    let text = |name: &str| {
        let column = batch[name].as_string_view();
        column.is_valid(at).then(|| column.value(at))
    };
    let number = |name: &str| {
        let column = batch[name].as_primitive::<Int32Type>();
        column.is_valid(at).then(|| column.value(at))
    };
    match (text("error"), number("error_offset")) {
        (Some(code), offset) => format!("{code} {}", offset.expect("a reject has an offset")),
        (None, _) => said(text("host"), number("port"), number("flags").expect("flags are never null")),
    }
}

/// Texts that can be lines.
fn is_line(text: &[u8]) -> bool {
    !text.contains(&b'\n') && !text.is_empty()
}

/// All rows of the table through a normalizer, as an array of binaries.
fn in_bulk(options: &Options) -> Vec<String> {
    let array = BinaryArray::from_iter_values(TABLE.iter().map(|(text, ..)| text));
    let (batch, _) = Normalizer::new(options.clone()).array(&array).expect("a table");
    (0..TABLE.len()).map(|at| row(&batch, at)).collect()
}

#[test]
fn which_host_and_which_flags() {
    let mut wrong = Vec::new();
    let plain = in_bulk(&Options { columns: columns(), ..Options::default() });
    let reading = Reading::Rfc(RfcOptions { repair: true, ..RfcOptions::default() });
    let mended = in_bulk(&Options { columns: columns(), reading, ..Options::default() });
    for ((text, attack, expected, with_repair), (plain, mended)) in
        TABLE.iter().zip(plain.iter().zip(&mended))
    {
        // Repair changes rejects, and the prefix of Appendix C.
        let mended = if plain == mended { "" } else { mended };
        if plain != expected || mended != *with_repair {
            wrong.push(format!("b\"{}\" ({attack})\n    {plain}\n    {mended}", text.escape_ascii()));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// Lines and arrays, by every kernel, each record alone and all of them together.
#[test]
fn all_kernels_say_the_same() {
    let lines: Vec<_> = TABLE.iter().filter(|(text, ..)| is_line(text)).collect();
    let text = lines.iter().map(|(text, ..)| *text).collect::<Vec<_>>().join(&b'\n');
    for isa in Isa::available() {
        let options = Options { columns: columns(), isa: Some(isa), ..Options::default() };
        for (found, (text, _, expected, _)) in in_bulk(&options).iter().zip(TABLE) {
            assert_eq!(found, expected, "{isa:?}, as an array: {}", text.escape_ascii());
        }
        let mut normalizer = Normalizer::new(options);
        let (batch, _) = normalizer.text(&text).expect("a table");
        assert_eq!(batch.num_rows(), lines.len());
        for (at, (text, _, expected, _)) in lines.iter().enumerate() {
            assert_eq!(row(&batch, at), *expected, "{isa:?}, as a line: {}", text.escape_ascii());
            let (batch, _) = normalizer.text(text).expect("a table");
            assert_eq!(row(&batch, 0), *expected, "{isa:?}, alone: {}", text.escape_ascii());
        }
    }
}

/// Against a base, a reference with a host keeps it, and every other one has the base's: alone, in bulk, and in its
/// explanation.
#[test]
fn a_base_lends_its_host_to_references_without_one() {
    let base = UriRef::parse("https://base.example:8443/a/b").expect("a base");
    let options =
        Options { columns: columns(), ..Options::default() }.with_base(base.as_str()).expect("a base");
    let array = BinaryArray::from_iter_values(TABLE.iter().map(|(text, ..)| text));
    let (batch, _) = Normalizer::new(options).array(&array).expect("a table");
    for (at, (text, _, expected, _)) in TABLE.iter().enumerate() {
        let Ok(reference) = UriRef::parse(*text) else {
            assert_eq!(row(&batch, at), *expected, "a reject stays what it is: {}", text.escape_ascii());
            continue;
        };
        let target = resolve(&base, &reference, Mode::Strict).expect("the base has a scheme");
        let target = UriRef::parse(target.as_ref()).expect("a target is valid");
        let lender = if reference.is_uri() || reference.authority().is_some() { &reference } else { &base };
        assert_eq!(target.authority(), lender.authority(), "{reference}");
        let normal = normalize(&target, Level::Scheme);
        assert_eq!(batch["uri"].as_string_view().value(at), normal, "{reference}");
        let told = explain(*text, &explain::Options::new().base(Some(base)));
        let told = told.reference.expect("a valid text is a reference");
        assert_eq!(told.normal, normal, "{reference}");
        assert_eq!(told.flags.0, batch["flags"].as_primitive::<Int32Type>().value(at), "{reference}");
    }
}
