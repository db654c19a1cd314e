//! The builder of a run that finds the URIs in running texts: whole inputs, the texts of a field, and payloads of web
//! archives.

mod lines;
mod mail;
mod payload;
mod records;
mod searched;
mod settings;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::into_inner;
use urimill_base::option_name::OptionName;
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, Reading};
use urimill_pipeline::{FormatCheck, Plan, each_batch};
use urimill_read::format::Keep;
use urimill_read::{Damage, Format, RecordSource, Source, open};
use urimill_uri::UriRef;
use urimill_uri::extract::{Options, each_found};
use urimill_uri::grammar::Spec;
use urimill_uri::normalize::Level;
use urimill_uri::printable::printable_json;
use urimill_write::Target;

use super::choices::ExtractFormat;
use super::common::Common;
use super::input_format::{InputFormat, InputOptions};
use super::job::{Job, Running};
use super::options;
use super::output::{MakeSink, Output};
use crate::formats::Contents;
use records::{Found, Searcher};
pub(super) use searched::Searched;

/// The number of bytes from which the format of an input is detected.
const BEGINNING: usize = 64 << 10;
/// The longest text of a field, and of a message, that is searched as a whole, in bytes.
const LONGEST: usize = 16 << 20;

/// Finds the URIs in texts, and writes them one after the other.
///
/// ```
/// use urimill::run::Extract;
///
/// let folder = tempfile::tempdir()?;
/// let (text, list) = (folder.path().join("mail.txt"), folder.path().join("uris.txt"));
/// std::fs::write(&text, "See <http://example.com/a> and www.example.org, please.")?;
/// let stats = Extract::new().inputs([text]).write_to(&list).run()?;
/// assert_eq!(stats.found, 2);
/// assert_eq!(std::fs::read_to_string(&list)?, "http://example.com/a\nhttp://www.example.org\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Extract {
    pub(super) common: Common,
    pub(super) input: InputOptions,
    spec: Spec,
    level: Level,
    pub(super) default_scheme: Option<String>,
    pub(super) no_suffix: bool,
    refang: bool,
    output: Output,
    format: Option<ExtractFormat>,
}

/// The results of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractStats {
    /// URIs.
    pub found: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Records of web archives whose payload could not be decoded, and was not searched.
    pub unread: u64,
    /// Texts of records of which only the beginning was searched, or nothing, because of damage or a limit.
    pub cut: u64,
    /// Malformed records, which were not searched.
    pub malformed: u64,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
}

/// The URIs found in a part of the input.
#[derive(Debug, Default)]
struct Page {
    bytes: Vec<u8>,
    found: u64,
    unread: u64,
    cut: u64,
    malformed: u64,
}

impl Page {
    /// Adds the counts of another part.
    fn add(&mut self, other: &Page) {
        self.found += other.found;
        self.unread += other.unread;
        self.cut += other.cut;
        self.malformed += other.malformed;
    }
}

/// The settings of the search, for all inputs.
struct Search<'a> {
    options: &'a Options,
    format: ExtractFormat,
    /// The names of the sources, in JSON.
    names: &'a [String],
    running: &'a Running,
    /// The writer of texts that are too long to be held.
    temporary: &'a TemporaryPlace,
}

/// The open inputs and outputs of an [`Extract`].
pub struct Opened {
    sources: Vec<Source>,
    options: Options,
    format: ExtractFormat,
    /// The writer of texts that are too long to be held.
    temporary: TemporaryPlace,
    target: Target,
}

impl Job for Extract {
    const NAME: options::Job = options::Job::Extract;
    type Opened = Opened;
    type Stats = ExtractStats;

    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, _: bool) -> Result<()> {
        self.validate()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, _: Option<MakeSink<'_>>) -> Result<Opened> {
        let (format, options) = (self.format()?, self.options()?);
        let common = &running.common;
        common.refuse_outputs(&sources, [self.output.path.as_deref(), None])?;
        let temporary = TemporaryPlace::tried(common.temp_dir.as_deref())?;
        let target = self.output.target(&common.progress.temporaries)?;
        common.progress.total.get_or_init(|| sources.iter().map(Source::size).sum::<Option<u64>>());
        Ok(Opened { sources, options, format, temporary, target })
    }

    fn work(self, opened: Opened, running: Running) -> Result<ExtractStats> {
        let Opened { sources, options, format, temporary, mut target } = opened;
        let names: Vec<String> = sources
            .iter()
            .map(|source| printable_json(&Value::from(source.name()).to_string()).into_owned())
            .collect();
        let search =
            Search { options: &options, format, names: &names, running: &running, temporary: &temporary };
        let mut all = Page::default();
        match Searched::of(&self.input) {
            Searched::Records => {
                let reader = self.input.reader(&Keep::None, &longest())?;
                all.add(&self.records(sources, reader, &search, &mut target)?);
            }
            searched => {
                for (number, source) in sources.into_iter().enumerate() {
                    let search = Search { names: &names[number..=number], ..search };
                    all.add(&self.source(source, searched, &search, &mut target)?);
                }
            }
        }
        let Page { found, unread, cut, malformed, .. } = all;
        Ok(ExtractStats {
            found,
            unread,
            cut,
            malformed,
            damaged: running.damages.list(),
            bytes: target.commit()?,
        })
    }
}

impl Extract {
    /// Searches one input, after detecting its format.
    fn source(
        &self,
        source: Source,
        searched: Searched,
        search: &Search<'_>,
        target: &mut Target,
    ) -> Result<Page> {
        let before = self.common.progress.stored.load(Ordering::Relaxed);
        let mut reader = open(&source, &Arc::clone(&self.common.progress.stored))?
            .transcoding(self.input.sources.encoding);
        let mut damage = None;
        // If damage is accepted, the text ends there.
        let mut read = |buffer: &mut [u8]| -> Result<usize> {
            self.common.progress.counters.check()?;
            match reader.read(buffer) {
                Err(error) if self.input.outlives_damage() && error.kind() == ErrorKind::Data => {
                    damage = Some(error);
                    Ok(0)
                }
                read => read,
            }
        };
        let mut first = vec![0; BEGINNING];
        let mut filled = 0;
        while filled < first.len() {
            match read(&mut first[filled..])? {
                0 => break,
                more => filled += more,
            }
        }
        first.truncate(filled);
        let contents = match searched {
            Searched::FoundOut => Contents::of(&first, &source.name())?,
            Searched::Text | Searched::Records => Contents::Text,
        };
        match contents {
            Contents::Text => {}
            Contents::Mail(mail) => {
                self.common.progress.stored.store(before, Ordering::Relaxed);
                let name = source.name().into_owned();
                let page = self.mail((source, mail), first, read, search, target)?;
                if let Some(error) = damage {
                    search.running.damages.add(&name, &error, false);
                }
                return Ok(page);
            }
            Contents::Table => {
                return Err(Error::usage(format!(
                    "{} is a table: name the column whose text is searched with {}",
                    source.name(),
                    OptionName::UriField.named()
                )));
            }
            Contents::Archive(name) if source.size().is_none() => {
                return Err(Error::usage(format!(
                    "{} looks like a web archive: say {}",
                    source.name(),
                    OptionName::Format.with(name)
                )));
            }
            Contents::Archive(name) => {
                drop(reader);
                // The beginning is read again.
                self.common.progress.stored.store(before, Ordering::Relaxed);
                let input = self.input.clone().format(name.parse::<InputFormat>()?);
                return self.records(vec![source], input.reader(&Keep::None, &longest())?, search, target);
            }
        }
        let (mut line, mut page, mut at) = (Vec::new(), Page::default(), 0);
        let read = |buffer: &mut [u8]| {
            if at == first.len() {
                return read(buffer);
            }
            let count = buffer.len().min(first.len() - at);
            buffer[..count].copy_from_slice(&first[at..at + count]);
            at += count;
            Ok(count)
        };
        let options = search.options.clone().is_markup(searched::is_markup(&first));
        each_found(read, self.window(), &options, |at, found| {
            line.clear();
            match search.format {
                ExtractFormat::Uris => line.extend_from_slice(found.uri.as_bytes()),
                ExtractFormat::Jsonl => {
                    line.extend_from_slice(lines::object(&search.names[0], "", at, found).as_bytes());
                }
            }
            line.push(b'\n');
            page.found += 1;
            target.append(&line)
        })?;
        if let Some(error) = damage {
            search.running.damages.add(&source.name(), &error, false);
        }
        Ok(page)
    }

    /// Searches the records of inputs.
    fn records(
        &self,
        sources: Vec<Source>,
        mut format: Format,
        search: &Search<'_>,
        target: &mut Target,
    ) -> Result<Page> {
        format.hold_blocks(search.temporary);
        let mut opening = self.input.opening(sources, (format, LONGEST), search.running);
        opening.options.chunk_bytes = self.window().max(1 << 20);
        self.search_records(opening.open()?.record_source, search, target)
    }

    fn search_records(
        &self,
        record_source: RecordSource,
        search: &Search<'_>,
        target: &mut Target,
    ) -> Result<Page> {
        let columns = Columns::new([Column::Record]);
        let reading = Reading::default().at_level(Level::None);
        let options = batch::Options { columns, reading, max_record: LONGEST, ..batch::Options::default() };
        let plan = Plan::new(&record_source, options, false)?;
        let types = self.input.records.clone().unwrap_or_default();
        let markup = search.options.clone().is_markup(true);
        let searcher = Searcher {
            options: search.options,
            markup: &markup,
            format: search.format,
            names: search.names,
            types: &types,
            window: self.window(),
            counters: &self.common.progress.counters,
            found: Mutex::new(Found { target, page: Page::default() }),
        };
        // Any text will do.
        let plan = plan.check_format(FormatCheck::ByRecords);
        each_batch(record_source, &plan, &search.running.workers, &searcher, &self.common.progress.counters)?;
        Ok(into_inner(searcher.found).page)
    }

    /// The bytes read at once, fewer than elsewhere.
    fn window(&self) -> usize {
        self.common.chunk_bytes.unwrap_or(256 << 10)
    }

    pub(super) fn format(&self) -> Result<ExtractFormat> {
        let Some(path) = self.output.path.as_deref().filter(|_| self.format.is_none()) else {
            return Ok(self.format.unwrap_or(ExtractFormat::Uris));
        };
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("jsonl" | "ndjson") => Ok(ExtractFormat::Jsonl),
            Some("txt" | "uris") => Ok(ExtractFormat::Uris),
            _ => Err(no_format(path)),
        }
    }

    pub(super) fn options(&self) -> Result<Options> {
        let scheme = self.default_scheme.as_deref().unwrap_or("http");
        let probe = format!("{scheme}://h");
        if UriRef::parse(&probe).ok().and_then(|uri| uri.scheme()) != Some(scheme) {
            return Err(Error::usage(format!(
                "{} is no scheme: give a name such as https, without the colon",
                OptionName::DefaultScheme.with(scheme)
            )));
        }
        let suffix_scheme = (!self.no_suffix).then(|| scheme.to_owned());
        Ok(Options::new().spec(self.spec).level(self.level).suffix_scheme(suffix_scheme).refang(self.refang))
    }
}

fn no_format(path: &Path) -> Error {
    Error::usage(format!(
        "cannot tell a format from the name {}: give it the end .jsonl or .txt, or say {} or {}",
        path.display(),
        OptionName::OutputFormat.with("uris"),
        OptionName::OutputFormat.with("jsonl")
    ))
}

/// The longest records that may be held.
fn longest() -> batch::Options {
    batch::Options { max_record: LONGEST, ..batch::Options::default() }
}
