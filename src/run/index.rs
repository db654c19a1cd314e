//! The builder of a run that makes the index of web archives.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::budget::{Budget, Threads};
use super::conflicts::{refuse_inputs, refuse_inside};
use super::index_form::IndexForm;
use super::index_stats::IndexStats;
use super::input_format::{InputFormat, InputOptions};
use super::opening::{Opened, Opening};
use super::output::{MakeSink, file};
use super::progress::RunProgress;
use super::setting::{Setting, Settings};
use crate::error::{Error, ErrorKind, Result};
use crate::index;
use crate::index::{Destination, Like, LineForm, Options};
use crate::option_name::OptionName;
use crate::read::format::{Asked, Keep, RecordTypes};
use crate::read::temporary::TemporaryPlace;
use crate::read::{Damage, Damages, OnDamage, RecordSource, Source, expand, refusal};
use crate::write;
use crate::write::{Format, Sink, SinkOptions, StagedDirectory, Target};

/// Makes the index of web archives (WARC, ARC, WACZ): for each record that replay tools show its key, its time, and where it is.
/// Lines are sorted by their bytes, as tools that search them need it.
///
/// ```
/// use urimill::run::Index;
///
/// let folder = tempfile::tempdir()?;
/// let (archive, index) = (folder.path().join("a.warc"), folder.path().join("a.cdxj"));
/// let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nHello";
/// std::fs::write(&archive, format!(
///     "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n\
///      Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()))?;
/// let stats = Index::new().inputs([archive]).write_to(&index).run()?;
/// assert_eq!(stats.lines, 1);
/// assert!(std::fs::read_to_string(&index)?.starts_with("com,example)/ 20261120100000 {\"url\": \"http://example.com/\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Index {
    inputs: Vec<OsString>,
    pub(super) format: Option<InputFormat>,
    pub(super) form: Option<IndexForm>,
    like: Like,
    types: Option<RecordTypes>,
    no_post: bool,
    pub(super) is_unsorted: bool,
    pub(super) shards: Option<u64>,
    pub(super) block_lines: Option<u64>,
    root: Option<PathBuf>,
    on_damage: OnDamage,
    skips_bodies: bool,
    temp_dir: Option<PathBuf>,
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<usize>,
    pub(super) chunk_bytes: usize,
    pub(super) output: Option<PathBuf>,
    force: bool,
    progress: RunProgress,
}

impl Default for Index {
    fn default() -> Self {
        Index {
            inputs: Vec::new(),
            format: None,
            form: None,
            like: Like::default(),
            types: None,
            no_post: false,
            is_unsorted: false,
            shards: None,
            block_lines: None,
            root: None,
            on_damage: OnDamage::default(),
            skips_bodies: false,
            temp_dir: None,
            memory: None,
            threads: None,
            chunk_bytes: 1 << 20,
            output: None,
            force: false,
            progress: RunProgress::default(),
        }
    }
}

/// The longest header of a record.
const LONGEST: usize = 1 << 20;
/// The lines of a ZipNum block, as in Common Crawl's index.
const BLOCK: u64 = 3000;

impl Settings for Index {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Inputs => self.inputs = setting.texts(),
            OptionName::Output => self.output = file(setting.path()),
            OptionName::OutputFormat => {
                self.form = Some(setting.one_of(IndexForm::ALL.map(|form| (form.as_str(), form)))?);
            }
            OptionName::Like => self.like = setting.one_of(Like::ALL.map(|like| (like.as_str(), like)))?,
            OptionName::Format => self.format = Some(setting.parsed()?),
            OptionName::Records => self.types = Some(setting.parsed()?),
            OptionName::NoPost => self.no_post = setting.is_on()?,
            OptionName::Unsorted => self.is_unsorted = setting.is_on()?,
            OptionName::Shards => self.shards = Some(setting.number()?),
            OptionName::BlockLines => self.block_lines = Some(setting.number()?),
            OptionName::Root => self.root = Some(setting.path()),
            OptionName::SkipBodies => self.skips_bodies = setting.is_on()?,
            OptionName::OnDamage => self.on_damage = setting.one_of(OnDamage::NAMED)?,
            OptionName::TempDir => self.temp_dir = Some(setting.path()),
            OptionName::Memory => self.memory = Some(setting.bytes()?),
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = setting.length()?,
            OptionName::Force => self.force = setting.is_on()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Index {
    /// A run with the defaults, which reads standard input and writes CDXJ to standard output.
    pub fn new() -> Self {
        Index::default()
    }

    /// Files, patterns such as `crawl/*.warc.gz`, or `-` for standard input.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Index { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// What the inputs are: WARC, ARC or WACZ. By default the beginning of each says it.
    pub fn format(self, format: InputFormat) -> Self {
        Index { format: Some(format), ..self }
    }

    /// The form of the index. By default the end of the output's name says it, or it is CDXJ.
    pub fn form(self, form: IndexForm) -> Self {
        Index { form: Some(form), ..self }
    }

    /// The tool whose lines the index has.
    pub fn like(self, like: Like) -> Self {
        Index { like, ..self }
    }

    /// The record types that have a line. By default those of the tool.
    pub fn records(self, types: RecordTypes) -> Self {
        Index { types: Some(types), ..self }
    }

    /// Makes keys of targets alone. By default the key of an answer to a POST or PUT also has its method and body, by
    /// which replay tools look it up.
    pub fn no_post(self, no_post: bool) -> Self {
        Index { no_post, ..self }
    }

    /// Leaves the lines in the order of the records.
    pub fn unsorted(self, is_unsorted: bool) -> Self {
        Index { is_unsorted, ..self }
    }

    /// The number of files that ZipNum has its blocks in; 1 by default.
    pub fn shards(self, shards: u64) -> Self {
        Index { shards: Some(shards), ..self }
    }

    /// The lines of a block of ZipNum; 3000 by default.
    pub fn block_lines(self, lines: u64) -> Self {
        Index { block_lines: Some(lines), ..self }
    }

    /// The directory below which files are named by their paths. By default the index has names without directories.
    pub fn root(self, directory: impl Into<PathBuf>) -> Self {
        Index { root: Some(directory.into()), ..self }
    }

    /// What becomes of inputs that are truncated or damaged.
    pub fn on_damage(self, on_damage: OnDamage) -> Self {
        Index { on_damage, ..self }
    }

    /// See [`InputOptions::skip_bodies`]; bodies whose digest has to be computed are read.
    pub fn skip_bodies(self, skips_bodies: bool) -> Self {
        Index { skips_bodies, ..self }
    }

    /// Where temporary files go; by default the system's place for them.
    pub fn temp_dir(self, directory: impl Into<PathBuf>) -> Self {
        Index { temp_dir: Some(directory.into()), ..self }
    }

    /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread where that is more.
    pub fn memory(self, bytes: u64) -> Self {
        Index { memory: Some(bytes), ..self }
    }

    /// The number of threads. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Index { threads: Some(threads), ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Index { chunk_bytes: bytes, ..self }
    }

    /// The file of the index, or the directory of ZipNum. Without it lines go to standard output.
    pub fn write_to(self, path: impl Into<PathBuf>) -> Self {
        Index { output: Some(path.into()), ..self }
    }

    /// Replaces an output that exists.
    pub fn force(self, force: bool) -> Self {
        Index { force, ..self }
    }

    /// What another thread may look at while the run goes on, and how it stops it.
    pub fn progress(self, progress: &RunProgress) -> Self {
        Index { progress: progress.clone(), ..self }
    }

    /// The form of the index.
    pub(super) fn index_form(&self) -> IndexForm {
        let name = self.output.as_deref().and_then(|path| path.file_name()?.to_str());
        let name = name.map(|name| name.to_ascii_lowercase()).unwrap_or_default();
        let bare = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let by_name = match bare {
            _ if bare.ends_with(".cdx") => IndexForm::Cdx,
            _ if name.ends_with(".parquet") => IndexForm::Parquet,
            _ => IndexForm::Cdxj,
        };
        self.form.unwrap_or(by_name)
    }

    /// The table of an index. Its pages are so small that a lookup decompresses little.
    fn table(&self, target: Target) -> Result<Box<dyn Sink>> {
        let metadata = [("urimill.version", env!("CARGO_PKG_VERSION")), ("urimill.like", self.like.as_str())];
        let options = SinkOptions {
            metadata: metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
            sorting: index::SORTED_BY.to_vec(),
            pages: index::PAGES,
            page_checksums: true,
            ..SinkOptions::default()
        };
        write::create(Format::Parquet, target, index::table_schema(), &options)
    }

    /// The sources with their names in the index. A source that cannot be indexed ends the run; where damage
    /// does not, it is reported and left out.
    fn sources(&self, damages: &Damages) -> Result<(Vec<Source>, Vec<String>)> {
        let mut any = InputFormat::Auto.reader(&Asked::keeping(Keep::None, LONGEST))?;
        any.hold_index(false);
        let (mut named, mut first) = ((Vec::new(), Vec::new()), None);
        for source in expand(&self.inputs)? {
            let unnamed = || {
                Error::usage(format!(
                    "the name of {} is not UTF-8, and an index names files in UTF-8: rename it",
                    source.name()
                ))
            };
            let name = self.name_of(&source)?.ok_or_else(unnamed);
            let refused = match self.on_damage {
                OnDamage::Fail => None,
                OnDamage::Keep | OnDamage::Skip => refusal(&source, &any),
            };
            match name.and_then(|name| refused.map_or(Ok(name), Err)) {
                Ok(name) => {
                    named.0.push(source);
                    named.1.push(name);
                }
                Err(error) if self.on_damage == OnDamage::Fail => return Err(error),
                Err(error) => {
                    damages.push(Damage::after(0, &source.name(), error.to_string()));
                    first.get_or_insert(error);
                }
            }
        }
        // Without any other source the run has nothing to do.
        first.filter(|_| named.0.is_empty()).map_or(Ok(named), Err)
    }

    /// The name of a source in the index; `None` where it is not UTF-8.
    fn name_of(&self, source: &Source) -> Result<Option<String>> {
        let Source::File(path) = source else { return Ok(Some(source.name().into_owned())) };
        let relative = match &self.root {
            Some(root) => below(path, root).ok_or_else(|| {
                Error::usage(format!(
                    "{} is not below {}: give another {}",
                    path.display(),
                    root.display(),
                    OptionName::Root.named()
                ))
            })?,
            None => path.file_name().map_or(path.clone(), PathBuf::from),
        };
        Ok(relative.to_str().map(|name| name.replace(std::path::MAIN_SEPARATOR, "/")))
    }

    /// Reads every record, writes a line for each that is to have one, and publishes the index when all is well.
    ///
    /// # Errors
    /// As [`Conversion::run`](super::Conversion::run).
    pub fn run(self) -> Result<IndexStats> {
        self.prepare()?.run()
    }

    /// [`run`](Self::run) where the rows of the table ([`IndexForm::Parquet`]) go to a sink of the caller's: no output
    /// is named then.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does, and where the sink fails.
    pub fn run_into(self, sink: MakeSink<'_>) -> Result<IndexStats> {
        if self.output.is_some() {
            return Err(Error::usage(format!(
                "the table goes to the caller: drop {}",
                OptionName::Output.named()
            )));
        }
        if !matches!(self.form, None | Some(IndexForm::Parquet)) {
            return Err(Error::usage(format!(
                "rows are those of the table: drop {}, or give {}",
                OptionName::OutputFormat.named(),
                OptionName::Output.named()
            )));
        }
        Index { form: Some(IndexForm::Parquet), ..self }.prepare_for(Some(sink))?.run()
    }

    /// [`run`](Self::run) up to its first record.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does.
    pub fn prepare(self) -> Result<PreparedIndex> {
        self.prepare_for(None)
    }

    fn prepare_for(self, sink: Option<MakeSink<'_>>) -> Result<PreparedIndex> {
        let begun = Instant::now();
        self.validate()?;
        // None is needed for most indexes: a directory that has no place for one is an error all the same.
        TemporaryPlace::tried(self.temp_dir.as_deref())?;
        let form = self.index_form();
        let refused = Damages::default();
        let (sources, names) = self.sources(&refused)?;
        refuse_inputs(&sources, [self.output.as_deref(), None::<&Path>])?;
        let threads = Threads::new(self.threads);
        let budget = Budget::new(self.memory, threads.given);
        self.progress.counters.memory.store(budget.whole, Ordering::Relaxed);
        let mut format = self.format.unwrap_or_default().reader(&Asked::keeping(Keep::None, LONGEST))?;
        format.hold_index(!self.no_post);
        let opening = Opening {
            chunk_bytes: self.chunk_bytes,
            memory: Some(budget.whole),
            ..InputOptions::new().skip_bodies(self.skips_bodies).on_damage(self.on_damage).opening(
                sources.clone(),
                (format, LONGEST),
                threads.given,
                &self.progress,
            )
        };
        let Opened { record_source, damages, .. } = opening.open()?;
        refused.list().into_iter().for_each(|damage| damages.push(damage));
        let (name, destination) = match (form, sink) {
            (_, Some(sink)) => (String::new(), Destination::Table(sink(index::table_schema())?)),
            (IndexForm::ZipNum, _) => {
                let path = self.output.as_deref().unwrap_or(Path::new(""));
                refuse_inside(path, &sources, None)?;
                let folder = StagedDirectory::create_for(&self.progress.temporaries, path, self.force)?;
                let (shards, lines) = (self.shards.unwrap_or(1), self.block_lines.unwrap_or(BLOCK));
                (folder.name().to_owned(), Destination::ZipNum { folder, shards, lines })
            }
            _ => {
                let target = match &self.output {
                    Some(path) => Target::create_for(&self.progress.temporaries, path, self.force)?,
                    None => Target::stdout()?,
                };
                let name = target.name().to_owned();
                let destination = match form {
                    IndexForm::Parquet => Destination::Table(self.table(target)?),
                    _ => Destination::Text(target),
                };
                (name, destination)
            }
        };
        let line_form = match form {
            IndexForm::Cdxj | IndexForm::ZipNum | IndexForm::Parquet => LineForm::Cdxj,
            IndexForm::Cdx => LineForm::Cdx,
            IndexForm::Cdx9 => LineForm::Cdx9,
        };
        let options = Options {
            form: line_form,
            like: self.like,
            types: self.types,
            names,
            has_posts: !self.no_post,
            is_unsorted: self.is_unsorted,
            max_record: LONGEST,
            memory: budget.waiting(),
            temp_dir: self.temp_dir.unwrap_or_else(std::env::temp_dir),
            threads: threads.given,
        };
        let (on_damage, progress) = (self.on_damage, self.progress);
        Ok(PreparedIndex {
            begun,
            options,
            threads,
            form,
            record_source,
            destination,
            name,
            damages,
            on_damage,
            progress,
        })
    }
}

/// The path of a file below a directory.
fn below(path: &Path, root: &Path) -> Option<PathBuf> {
    let (path, root) = (std::path::absolute(path).ok()?, std::path::absolute(root).ok()?);
    path.strip_prefix(&root).ok().map(Path::to_owned)
}

/// A run that can begin; dropped without [`run`](Self::run) it leaves nothing behind.
#[must_use = "it does nothing until it is run"]
pub struct PreparedIndex {
    begun: Instant,
    options: Options,
    threads: Threads,
    form: IndexForm,
    record_source: RecordSource,
    destination: Destination,
    name: String,
    damages: Damages,
    on_damage: OnDamage,
    progress: RunProgress,
}

impl PreparedIndex {
    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Reads every record, writes a line for each that is to have one, and publishes the index when all is well.
    ///
    /// # Errors
    /// Fails as [`Index::run`] does.
    pub fn run(self) -> Result<IndexStats> {
        let PreparedIndex { options, progress, damages, on_damage, .. } = self;
        let input_format = self.record_source.format().name();
        let damage = |found: Damage| match on_damage {
            OnDamage::Fail => Err(Error::new(ErrorKind::Data, found.sentence)),
            OnDamage::Keep | OnDamage::Skip => {
                damages.push(found);
                Ok(())
            }
        };
        let summary =
            index::run(self.record_source, &options, self.destination, &damage, &progress.counters)?;
        Ok(IndexStats {
            form: self.form,
            like: options.like,
            records: summary.read.tally.rows,
            lines: summary.lines,
            repeated: summary.repeated,
            left_out: summary.left_out,
            bytes: summary.read.bytes,
            stored_bytes: progress.stored_bytes(),
            spilled_bytes: summary.spilled,
            output_name: self.name,
            output_bytes: summary.output.bytes,
            input_format,
            damaged: damages.list(),
            threads: self.threads.given,
            time: self.begun.elapsed(),
        })
    }
}
