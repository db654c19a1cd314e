//! The builder of a run that finds records that are no URI references, or on which specifications differ.

use std::ffi::OsString;

use super::budget::Threads;
use super::conflicts::refuse_inputs;
use super::progress::RunProgress;
use crate::error::Result;
use crate::explain::bulk::{self, Counts, Record, Scratch};
use crate::explain::{Aspect, Contrast, Difference, Fault};
use crate::grammar::Spec;
use crate::input::{Chunk, ChunkOptions, Chunker, Source, expand};
use crate::normalize::Level;
use crate::passwords::{Masked, masked, masked_authority};
use crate::pipeline::each_chunk;
use crate::uri::{Component, Start};

/// Finds records that are no URI references; with several specifications those on which they differ.
///
/// ```
/// use urimill::run::{Check, Finding, FindingKind};
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("list.txt");
/// std::fs::write(&list, "http://example.com/\n/a b\n")?;
/// let render = |finding: &Finding<'_>, page: &mut Vec<u8>| {
///     if let FindingKind::Reject(fault) = &finding.kind {
///         page.extend_from_slice(format!("{}: {}\n", finding.record, fault.reject.code).as_bytes());
///     }
/// };
/// let mut found = Vec::new();
/// let stats = Check::new().inputs([list]).run(render, |page| {
///     found.extend_from_slice(page);
///     Ok(())
/// })?;
/// assert_eq!((stats.records, stats.found), (2, 1));
/// assert_eq!(found, b"2: path_invalid_char\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Check {
    pub(super) inputs: Vec<OsString>,
    pub(super) specs: Vec<Spec>,
    pub(super) require: Start,
    pub(super) base: Option<String>,
    pub(super) level: Option<Level>,
    pub(super) max_record: usize,
    pub(super) threads: Option<usize>,
    pub(super) chunk_bytes: usize,
    show_passwords: bool,
    progress: RunProgress,
}

impl Default for Check {
    fn default() -> Self {
        Check {
            inputs: Vec::new(),
            specs: vec![Spec::default()],
            require: Start::Reference,
            base: None,
            level: None,
            max_record: 1 << 20,
            threads: None,
            chunk_bytes: 1 << 20,
            show_passwords: false,
            progress: RunProgress::default(),
        }
    }
}

/// A record that was found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finding<'a> {
    /// The name of its source.
    pub source: &'a str,
    /// Its number there, from 1; blank lines count.
    pub record: i64,
    /// Its text, with its passwords masked unless they are to be shown.
    pub text: Masked,
    /// What was found.
    pub kind: FindingKind<'a>,
}

/// What was found of a record.
#[derive(Debug)]
#[non_exhaustive]
pub enum FindingKind<'a> {
    /// It is no URI reference, or not the kind that is required.
    Reject(&'a Fault),
    /// The specifications differ on it.
    Differences(&'a [Spec], &'a [Difference]),
}

/// What a run has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckStats {
    /// Records.
    pub records: u64,
    /// Those that were found.
    pub found: u64,
    /// The threads that did the work.
    pub threads: Threads,
}

/// What is looked for.
enum Search<'a> {
    Rejects(Start, Spec),
    Differences(Contrast<'a>),
}

impl Check {
    /// A run with the defaults, which reads standard input.
    pub fn new() -> Self {
        Check::default()
    }

    /// Files, patterns such as `logs/*.gz`, or `-` for standard input, with one URI reference a line.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Check { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// The specification that decides; of several the differences are found.
    pub fn spec(self, specs: impl IntoIterator<Item = Spec>) -> Self {
        Check { specs: specs.into_iter().collect(), ..self }
    }

    /// What every record has to be, with one specification.
    pub fn require(self, require: Start) -> Self {
        Check { require, ..self }
    }

    /// With several specifications: resolves the records against this URI and compares the targets too.
    pub fn base(self, base: impl Into<String>) -> Self {
        Check { base: Some(base.into()), ..self }
    }

    /// With several specifications: the normal form to compare.
    pub fn level(self, level: Level) -> Self {
        Check { level: Some(level), ..self }
    }

    /// The longest record in bytes; longer ones are rejected.
    pub fn max_record(self, bytes: usize) -> Self {
        Check { max_record: bytes, ..self }
    }

    /// The number of threads. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Check { threads: Some(threads), ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Check { chunk_bytes: bytes, ..self }
    }

    /// Shows the passwords of records, which stand as `***` otherwise.
    pub fn show_passwords(self, show_passwords: bool) -> Self {
        Check { show_passwords, ..self }
    }

    /// What another thread may look at while the run goes on, and how it stops it.
    pub fn progress(self, progress: &RunProgress) -> Self {
        Check { progress: progress.clone(), ..self }
    }

    /// Looks at every record. `render` writes what is to be said of a finding to a page, in several threads; `write`
    /// gets the pages in the order of the input.
    ///
    /// # Errors
    /// Those of [`validate`](Self::validate), of reading, and of `write`; usage where a base makes no sense.
    pub fn run(
        self,
        render: impl Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
        mut write: impl FnMut(&[u8]) -> Result<()> + Send,
    ) -> Result<CheckStats> {
        self.validate()?;
        let search = self.search()?;
        let sources = expand(&self.inputs)?;
        refuse_inputs(&sources, [None, None])?;
        let names: Vec<String> = sources.iter().map(|source| source.name().into_owned()).collect();
        let options = ChunkOptions {
            chunk_bytes: self.chunk_bytes,
            max_record: self.max_record,
            ..ChunkOptions::default()
        };
        self.progress.total.get_or_init(|| sources.iter().map(Source::size).sum::<Option<u64>>());
        let threads = Threads::new(self.threads);
        let chunker = Chunker::new(sources, options, self.progress.stored.clone())
            .with_threads(threads.given)
            .judging();
        let finder = Finder { run: &self, search: &search, names: &names, render: &render };
        let mut total = Counts::default();
        let worker = || {
            let mut scratch = Scratch::default();
            move |chunk: &Chunk| Ok(finder.chunk(chunk, &mut scratch))
        };
        each_chunk(chunker, threads.given, &self.progress.counters, worker, |(page, counts)| {
            total.records += counts.records;
            total.found += counts.found;
            write(&page)
        })?;
        Ok(CheckStats { records: total.records, found: total.found, threads })
    }

    fn search(&self) -> Result<Search<'_>> {
        Ok(match self.specs.as_slice() {
            [spec] => Search::Rejects(self.require, *spec),
            specs => {
                let level = self.level.unwrap_or_default();
                Search::Differences(Contrast::new(specs, level, self.base.as_deref())?)
            }
        })
    }
}

/// What the workers share.
struct Finder<'a, R> {
    run: &'a Check,
    search: &'a Search<'a>,
    names: &'a [String],
    render: &'a R,
}

impl<R> Clone for Finder<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Finder<'_, R> {}

impl<R: Fn(&Finding<'_>, &mut Vec<u8>)> Finder<'_, R> {
    /// What is to be said of a chunk, and how much it held.
    fn chunk(&self, chunk: &Chunk, scratch: &mut Scratch) -> (Vec<u8>, Counts) {
        let mut page = Vec::new();
        let max_record = self.run.max_record;
        let counts = match self.search {
            Search::Rejects(_, spec) if chunk.overlong.is_some() => {
                let text = &chunk.bytes[..chunk.len];
                let fault = Fault::new(text, bulk::too_long(text.len(), max_record), *spec);
                let record = Record { text, lines_before: 0 };
                self.found(&mut page, chunk, &record, FindingKind::Reject(&fault));
                Counts { records: 1, found: 1 }
            }
            Search::Differences(_) if chunk.overlong.is_some() => Counts { records: 1, found: 0 },
            Search::Rejects(start, spec) => {
                let how = (*start, *spec, max_record);
                bulk::rejects_as(&chunk.bytes, chunk.len, how, scratch, |record, reject| {
                    let fault = Fault::new(record.text, reject, *spec);
                    self.found(&mut page, chunk, &record, FindingKind::Reject(&fault));
                })
            }
            Search::Differences(contrast) => {
                let how = (contrast, max_record);
                bulk::differences(&chunk.bytes, chunk.len, how, scratch, |record, differences| {
                    let masked: Vec<_>;
                    let differences = match self.run.show_passwords {
                        true => differences,
                        false => {
                            masked = differences.iter().map(without_passwords).collect();
                            &masked
                        }
                    };
                    let kind = FindingKind::Differences(contrast.specs(), differences);
                    self.found(&mut page, chunk, &record, kind);
                })
            }
        };
        (page, counts)
    }

    fn found(&self, page: &mut Vec<u8>, chunk: &Chunk, record: &Record<'_>, kind: FindingKind<'_>) {
        let finding = Finding {
            source: self.names[chunk.source].as_str(),
            record: chunk.first_record + record.lines_before as i64,
            text: Masked::new(record.text, self.run.show_passwords),
            kind,
        };
        (self.render)(&finding, page);
    }
}

/// A difference whose values hold no passwords.
fn without_passwords(difference: &Difference) -> Difference {
    let mask = |value: &String| match difference.aspect {
        Aspect::Component(Component::Userinfo) => {
            masked_authority(&format!("{value}@")).trim_end_matches('@').to_owned()
        }
        Aspect::Component(Component::Host) => masked_authority(value).into_owned(),
        _ => masked(value).into_owned(),
    };
    let values = difference.values.iter().map(|value| value.as_ref().map(mask)).collect();
    Difference { aspect: difference.aspect, values }
}
