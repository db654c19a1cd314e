//! The bodies of the fuzz targets: what has to hold for any bytes. Each exists once: `tests/fuzzing` feeds them
//! seeded mutations and all inputs that ever broke one, `fuzz/` is their door for libFuzzer.
//!
//! - `uri`: one text, or a base and a reference with a line feed between
//! - `text`: running text
//! - `table`: lines, and pairs of lines, as rows
//! - `records`: the formats of inputs, cut into chunks anywhere
//! - `tables`: Parquet and Arrow
//! - `others`: other implementations, and the list of what is known to differ

#[path = "../../spec/agreement.rs"]
mod agreement;
mod differences;
#[path = "../../engine/judge.rs"]
mod judge;
#[path = "../../spec/letter.rs"]
mod letter;
mod others;
mod records;
#[path = "../../engine/row.rs"]
mod row;
mod table;
mod tables;
mod text;
mod uri;

/// What has to hold for any bytes: it panics where something does not.
type Body = fn(&[u8]);

/// The targets by name.
pub(crate) const TARGETS: [(&str, Body); 24] = [
    ("parse", uri::parse),
    ("normalize", uri::normalize),
    ("resolve", uri::resolve),
    ("relativize", uri::relativize),
    ("equal", uri::equal),
    ("explain", uri::explain),
    ("repair", uri::repair),
    ("extract", text::extract),
    ("kernel", table::kernel),
    ("batch", table::batch),
    ("targets", table::targets),
    ("lines", records::lines),
    ("csv", records::csv),
    ("tsv", records::tsv),
    ("jsonl", records::jsonl),
    ("heritrix", records::heritrix),
    ("cdx", records::cdx),
    ("cdxj", records::cdxj),
    ("clf", records::clf),
    ("auto", records::auto),
    ("compressed", records::compressed),
    ("parquet", tables::parquet),
    ("arrow", tables::arrow),
    ("others", others::others),
];

/// Runs the body of the target with this name.
///
/// # Panics
/// Where there is none, and where something does not hold.
pub(crate) fn run(target: &str, data: &[u8]) {
    let (_, body) =
        TARGETS.iter().find(|(name, _)| *name == target).unwrap_or_else(|| panic!("no target {target}"));
    body(data);
}

/// Whether a parser that is not ours takes `text` for a URI reference of RFC 3986.
fn is_uri_reference(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| fluent_uri::UriRef::parse(text).is_ok())
}

/// What stands before the first line feed and what behind it: a base and a reference.
fn pair(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&b| b == b'\n').unwrap_or(data.len());
    (&data[..at], data.get(at + 1..).unwrap_or_default())
}

/// What an input is tried with: all of `cases`. A fuzzer, to which time means inputs, tries each with one of them,
/// which its bytes choose: a mutant of it comes to the others.
fn turns<T, const N: usize>(data: &[u8], cases: [T; N]) -> impl Iterator<Item = T> {
    let sum: usize = data.iter().map(|&byte| usize::from(byte)).sum();
    cases
        .into_iter()
        .enumerate()
        .filter(move |(at, _)| !cfg!(fuzzing) || *at == sum % N)
        .map(|(_, case)| case)
}
