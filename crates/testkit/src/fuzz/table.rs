//! Invariants of many texts at once: a row equals the result of the calls for one text.

use arrow::array::{Array, AsArray, BinaryArray};
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::resolve::{Mode, normal_form};
use urimill::{Spec, UriRef};

use crate::row;

/// A row of a batch equals the result of the calls for one URI. The length of the input chooses level and repair.
pub(super) fn batch(data: &[u8]) {
    let (level, with_repair) = row::combinations().nth(data.len() % 10).expect("five levels, twice");
    row::judge(data, level, with_repair);
}

fn starts_with_scheme(text: &[u8]) -> bool {
    let end = text.iter().position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(b)));
    end.is_some_and(|end| text[end] == b':' && text[0].is_ascii_alphabetic())
}

/// Pairs of lines, a base and a reference each: a row's URI equals the result of `normal_form`.
pub(super) fn targets(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|&b| b == b'\n').collect();
    let pairs: Vec<[&[u8]; 2]> = lines.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let bases = BinaryArray::from_iter_values(pairs.iter().map(|[base, _]| base));
    let references = BinaryArray::from_iter_values(pairs.iter().map(|[_, reference]| reference));
    let spec = Spec::ALL[data.len() % Spec::ALL.len()];
    for mode in [Mode::Strict, Mode::Compatible] {
        let columns = Columns::new([Column::Uri, Column::Error]);
        let rfc = RfcOptions { spec, mode, ..RfcOptions::default() };
        let options = Options { reading: Reading::Rfc(rfc), columns, ..Options::default() };
        let (batch, tally) = Normalizer::new(options).array_with_bases(&references, &bases).expect("a table");
        assert_eq!((batch.num_rows(), tally.rows), (pairs.len(), pairs.len() as u64));
        let (uri, error) = (batch["uri"].as_string_view(), batch["error"].as_string_view());
        for (row, [base, reference]) in pairs.iter().enumerate() {
            let is_missing = base.is_empty();
            let base = UriRef::parse_as(base, spec);
            let no_base = if base.is_ok() { "base_not_absolute" } else { "base_invalid" };
            let base = base.ok().filter(UriRef::is_uri);
            let has_scheme = starts_with_scheme(reference);
            let reference = UriRef::parse_as(reference, spec);
            // A reference with a scheme needs no base: this one's scheme is none's.
            let other = || UriRef::parse_as("zz-none:x", spec).ok();
            let base = base.or_else(|| other().filter(|_| is_missing && has_scheme));
            let code = reference.err().map(|reject| reject.code.as_str());
            let code = if base.is_none() { Some(no_base) } else { code };
            assert_eq!(error.is_valid(row).then(|| error.value(row)), code, "row {row}");
            let (Some(base), Ok(reference)) = (base, reference) else { continue };
            let normal = normal_form(&base, &reference, mode, rfc.level).expect("the base has a scheme");
            assert_eq!(uri.value(row), normal, "{base} and {reference}, {spec}");
        }
    }
}
