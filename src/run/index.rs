//! The builder of a run that makes the index of web archives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use urimill_archives::index;
use urimill_archives::index::{Destination, Like, LineForm, Options};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::option_name::OptionName;
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch;
use urimill_read::format::{Asked, Keep};
use urimill_read::{Damage, Damages, Source, refusal};
use urimill_write::{Format, Sink, SinkOptions, StagedDirectory, Target};

use super::choices::IndexForm;
use super::common::{Common, setters};
use super::conflicts::refuse_inside;
use super::input_format::{InputFormat, InputOptions};
use super::job::{Job, Running};
use super::opening;
use super::options;
use super::output::{MakeSink, Output};
use super::setting::{Setting, Settings};
use super::stats::{IndexStats, OutputStats, Stats};

/// Makes the index of web archives (WARC, ARC, WACZ): a line with the key, the time and the place of each record that
/// replay tools show. Lines are sorted by their bytes, as tools that search them require.
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
/// assert_eq!(stats.rows, 1);
/// assert!(std::fs::read_to_string(&index)?.starts_with("com,example)/ 20261120100000 {\"url\": \"http://example.com/\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Index {
    pub(super) common: Common,
    pub(super) input: InputOptions,
    pub(super) form: Option<IndexForm>,
    like: Like,
    no_post: bool,
    pub(super) is_unsorted: bool,
    pub(super) shards: Option<u64>,
    pub(super) block_lines: Option<u64>,
    root: Option<PathBuf>,
    pub(super) output: Output,
}

/// The longest header of a record.
const LONGEST: usize = 1 << 20;
/// The lines of a ZipNum block, as in Common Crawl's index.
const BLOCK: u64 = 3000;

impl Settings for Index {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::OutputFormat => {
                self.form = Some(setting.one_of(IndexForm::ALL.map(|form| (form.as_str(), form)))?);
            }
            OptionName::Like => self.like = setting.one_of(Like::ALL.map(|like| (like.as_str(), like)))?,
            OptionName::Output | OptionName::Force => return self.output.put(setting),
            OptionName::NoPost => self.no_post = setting.is_on()?,
            OptionName::Unsorted => self.is_unsorted = setting.is_on()?,
            OptionName::Shards => self.shards = Some(setting.number()?),
            OptionName::BlockLines => self.block_lines = Some(setting.number()?),
            OptionName::Root => self.root = Some(setting.path()),
            option => {
                return Ok(self.common.put(setting, Self::NAME)?
                    || Self::NAME.row(option).is_some() && self.input.put(setting)?);
            }
        }
        Ok(true)
    }
}

impl Index {
    /// A run with the defaults, which reads standard input and writes CDXJ to standard output.
    pub fn new() -> Self {
        Index::default()
    }

    /// The form of the index. By default that of the output's extension, or CDXJ.
    pub fn form(self, form: IndexForm) -> Self {
        Index { form: Some(form), ..self }
    }

    /// The tool whose lines urimill writes.
    pub fn like(self, like: Like) -> Self {
        Index { like, ..self }
    }

    /// Makes keys from targets alone. By default the key of an answer to a POST or PUT also has its method and body, by
    /// which replay tools look it up.
    pub fn no_post(self, no_post: bool) -> Self {
        Index { no_post, ..self }
    }

    /// Leaves the lines in the order of the records.
    pub fn unsorted(self, is_unsorted: bool) -> Self {
        Index { is_unsorted, ..self }
    }

    /// The number of files of a ZipNum index; 1 by default.
    pub fn shards(self, shards: u64) -> Self {
        Index { shards: Some(shards), ..self }
    }

    /// The lines of a ZipNum block; 3000 by default.
    pub fn block_lines(self, lines: u64) -> Self {
        Index { block_lines: Some(lines), ..self }
    }

    /// The directory to which the paths in the index are relative. By default the index has file names without
    /// directories.
    pub fn root(self, directory: impl Into<PathBuf>) -> Self {
        Index { root: Some(directory.into()), ..self }
    }

    setters!(
        inputs,
        archives,
        damage,
        temp_dir,
        memory,
        threads,
        chunk,
        write_to_file,
        progress,
        run,
        run_into
    );

    /// The form of the index.
    pub(super) fn index_form(&self) -> IndexForm {
        let name = self.output.path.as_deref().and_then(|path| path.file_name()?.to_str());
        let name = name.map(|name| name.to_ascii_lowercase()).unwrap_or_default();
        let bare = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let by_name = match bare {
            _ if bare.ends_with(".cdx") => IndexForm::Cdx,
            _ if name.ends_with(".parquet") => IndexForm::Parquet,
            _ => IndexForm::Cdxj,
        };
        self.form.unwrap_or(by_name)
    }

    /// The table of an index. Its pages are small, so that a lookup decompresses little.
    fn table(&self, target: Target) -> Result<Box<dyn Sink>> {
        let metadata = [("urimill.version", env!("CARGO_PKG_VERSION")), ("urimill.like", self.like.as_str())];
        let options = SinkOptions {
            metadata: metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
            sorting: index::SORTED_BY.to_vec(),
            pages: index::PAGES,
            page_checksums: true,
            ..SinkOptions::default()
        };
        urimill_write::create(Format::Parquet, target, index::table_schema(), &options)
    }

    /// The sources with their names in the index. A source that cannot be indexed ends the run; if damage is accepted,
    /// it is reported and left out.
    fn named(&self, sources: Vec<Source>, damages: &Damages) -> Result<(Vec<Source>, Vec<String>)> {
        let mut any = InputFormat::default().reader(&Asked::keeping(Keep::None, LONGEST))?;
        any.hold_index(false);
        let (mut named, mut first) = ((Vec::new(), Vec::new()), None);
        for source in sources {
            let unnamed = || {
                Error::usage(format!(
                    "the name of {} is not UTF-8, and an index names files in UTF-8: rename it",
                    source.name()
                ))
            };
            let name = self.name_of(&source)?.ok_or_else(unnamed);
            let refused = match self.input.outlives_damage() {
                false => None,
                true => refusal(&source, &any),
            };
            match name.and_then(|name| refused.map_or(Ok(name), Err)) {
                Ok(name) => {
                    named.0.push(source);
                    named.1.push(name);
                }
                Err(error) if !self.input.outlives_damage() => return Err(error),
                Err(error) => {
                    damages.push(Damage::after(0, &source.name(), error.to_string()));
                    first.get_or_insert(error);
                }
            }
        }
        // Without any other source the run has nothing to do.
        first.filter(|_| named.0.is_empty()).map_or(Ok(named), Err)
    }

    /// The name of a source in the index; `None` if it is not UTF-8.
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
}

/// The path of a file relative to a directory.
fn below(path: &Path, root: &Path) -> Option<PathBuf> {
    let (path, root) = (std::path::absolute(path).ok()?, std::path::absolute(root).ok()?);
    path.strip_prefix(&root).ok().map(Path::to_owned)
}

/// The open inputs and outputs of an [`Index`].
pub struct Opened {
    options: Options,
    form: IndexForm,
    read: opening::Opened,
    destination: Destination,
    name: String,
}

impl Job for Index {
    const NAME: options::Job = options::Job::Index;
    type Opened = Opened;
    type Stats = Stats;

    fn common(&self) -> &Common {
        &self.common
    }

    fn into_table(self) -> Result<Index> {
        match self.form {
            None | Some(IndexForm::Parquet) => Ok(Index { form: Some(IndexForm::Parquet), ..self }),
            Some(_) => Err(Error::usage(format!(
                "rows are those of the table: drop {}, or give {}",
                OptionName::OutputFormat.named(),
                OptionName::Output.named()
            ))),
        }
    }

    fn check(&self, has_sink: bool) -> Result<()> {
        if has_sink && self.output.path.is_some() {
            return Err(Error::usage(format!(
                "the table goes to the caller: drop {}",
                OptionName::Output.named()
            )));
        }
        self.validate()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, sink: Option<MakeSink<'_>>) -> Result<Opened> {
        // Most indexes need no temporary files, but a directory that cannot hold any is an error all the same.
        TemporaryPlace::tried(self.common.temp_dir.as_deref())?;
        let form = self.index_form();
        let (sources, names) = self.named(sources, &running.damages)?;
        if sink.is_none() {
            self.common.refuse_outputs(&sources, [self.output.path.as_deref(), None])?;
        }
        let mut format = self.input.asked_format().reader(&Asked::keeping(Keep::None, LONGEST))?;
        format.hold_index(!self.no_post);
        let read = self.input.opening(sources.clone(), (format, LONGEST), running).open()?;
        let (name, destination) = match (form, sink) {
            (_, Some(sink)) => (String::new(), Destination::Table(sink(index::table_schema())?)),
            (IndexForm::ZipNum, _) => {
                let path = self.output.path.as_deref().unwrap_or(Path::new(""));
                refuse_inside(path, &sources, None)?;
                let folder =
                    StagedDirectory::create_for(&self.common.progress.temporaries, path, self.output.force)?;
                let (shards, lines) = (self.shards.unwrap_or(1), self.block_lines.unwrap_or(BLOCK));
                (folder.name().to_owned(), Destination::ZipNum { folder, shards, lines })
            }
            _ => {
                let target = self.output.target(&self.common.progress.temporaries)?;
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
            types: self.input.records.clone(),
            names,
            has_posts: !self.no_post,
            is_unsorted: self.is_unsorted,
            max_record: LONGEST,
            memory: running.budget.waiting(),
            temp_dir: self.common.temp_dir(),
            threads: Arc::clone(&running.workers),
        };
        Ok(Opened { options, form, read, destination, name })
    }

    fn work(self, opened: Opened, running: Running) -> Result<Stats> {
        let Opened { options, read, .. } = opened;
        let stats = Stats::of(&read, &self.input, &batch::Options::default());
        let damage = |found: Damage| match self.input.outlives_damage() {
            false => Err(Error::new(ErrorKind::Data, found.sentence)),
            true => {
                running.damages.push(found);
                Ok(())
            }
        };
        let counters = &running.common.progress.counters;
        let summary = index::run(read.record_source, &options, opened.destination, &damage, counters)?;
        let stats = Stats {
            rows: summary.lines,
            spilled_bytes: Some(summary.spilled),
            output: OutputStats::of(opened.name, "", summary.output),
            index: Some(IndexStats {
                form: opened.form,
                like: options.like,
                repeated: summary.repeated,
                left_out: summary.left_out,
            }),
            ..stats.read(&summary.read)
        };
        Ok(stats.end(&running))
    }
}
