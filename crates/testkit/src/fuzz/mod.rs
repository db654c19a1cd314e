//! The bodies of the fuzz targets: invariants for any bytes. Each exists once: `tests/fuzzing` runs them on seeded
//! mutations and on all inputs that ever broke one, and `fuzz/` connects them to libFuzzer.
//!
//! - `uri`: one text, or a base and a reference with a line feed between
//! - `text`: running text
//! - `kernel`: lines, by every kernel
//! - `table`: lines, and pairs of lines, as rows
//! - `records`: the formats of inputs, cut into chunks anywhere
//! - `framed`: archives and documents, whose records are not lines; logs; other encodings than UTF-8
//! - `pages`: pages, whose references are the records
//! - `tables`: Parquet and Arrow
//! - `others`: other implementations, and the list of known differences
//! - `urls`: the URL Standard; `url_others`: other implementations of it

mod differences;
#[cfg(feature = "tables")]
mod framed;
mod kernel;
mod others;
#[cfg(feature = "tables")]
mod pages;
#[cfg(feature = "tables")]
mod place;
#[cfg(feature = "tables")]
mod records;
#[cfg(feature = "tables")]
mod table;
#[cfg(feature = "tables")]
mod tables;
mod text;
mod uri;
mod url_others;
mod urls;

#[cfg(feature = "tables")]
pub use pages::PAGES;

/// The body of a target, which panics if an invariant does not hold for these bytes.
type Body = fn(&[u8]);

/// The targets by name.
pub const TARGETS: &[(&str, Body)] = &[
    ("parse", uri::parse),
    ("normalize", uri::normalize),
    ("resolve", uri::resolve),
    ("relativize", uri::relativize),
    ("equal", uri::equal),
    ("explain", uri::explain),
    ("repair", uri::repair),
    ("extract", text::extract),
    ("kernel", kernel::kernel),
    ("others", others::others),
    ("url", urls::url),
    ("url_resolve", urls::url_resolve),
    ("url_others", url_others::url_others),
    #[cfg(feature = "tables")]
    ("batch", table::batch),
    #[cfg(feature = "tables")]
    ("targets", table::targets),
    #[cfg(feature = "tables")]
    ("lines", records::lines),
    #[cfg(feature = "tables")]
    ("csv", records::csv),
    #[cfg(feature = "tables")]
    ("tsv", records::tsv),
    #[cfg(feature = "tables")]
    ("jsonl", records::jsonl),
    #[cfg(feature = "tables")]
    ("heritrix", records::heritrix),
    #[cfg(feature = "tables")]
    ("cdx", records::cdx),
    #[cfg(feature = "tables")]
    ("cdxj", records::cdxj),
    #[cfg(feature = "tables")]
    ("clf", records::clf),
    #[cfg(feature = "tables")]
    ("auto", records::auto),
    #[cfg(feature = "tables")]
    ("warc", framed::warc),
    #[cfg(feature = "tables")]
    ("arc", framed::arc),
    #[cfg(feature = "tables")]
    ("wacz", framed::wacz),
    #[cfg(feature = "tables")]
    ("sitemap", framed::sitemap),
    #[cfg(feature = "tables")]
    ("feed", framed::feed),
    #[cfg(feature = "tables")]
    ("har", framed::har),
    #[cfg(feature = "tables")]
    ("nutch", framed::nutch),
    #[cfg(feature = "tables")]
    ("log", framed::log),
    #[cfg(feature = "tables")]
    ("pages", pages::pages),
    #[cfg(feature = "tables")]
    ("encoding", framed::encoding),
    #[cfg(feature = "tables")]
    ("compressed", records::compressed),
    #[cfg(feature = "tables")]
    ("parquet", tables::parquet),
    #[cfg(feature = "tables")]
    ("arrow", tables::arrow),
];

/// Runs the body of the target with this name.
///
/// # Panics
/// If there is no such target, and if an invariant does not hold.
pub fn run(target: &str, data: &[u8]) {
    let (_, body) =
        TARGETS.iter().find(|(name, _)| *name == target).unwrap_or_else(|| panic!("no target {target}"));
    body(data);
}

/// The parts before and after the first line feed: a base and a reference.
fn pair(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&b| b == b'\n').unwrap_or(data.len());
    (&data[..at], data.get(at + 1..).unwrap_or_default())
}

/// The settings to try an input with: all of `cases`. For a fuzzer, which needs many inputs a second, one of them,
/// chosen by the bytes of the input; mutants of it get the others.
fn turns<T, const N: usize>(data: &[u8], cases: [T; N]) -> impl Iterator<Item = T> {
    let sum: usize = data.iter().map(|&byte| usize::from(byte)).sum();
    cases
        .into_iter()
        .enumerate()
        .filter(move |(at, _)| !cfg!(fuzzing) || *at == sum % N)
        .map(|(_, case)| case)
}
