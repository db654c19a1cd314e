//! The rows that a reader makes of an input, as a run writes them: so the package of a format is tested without
//! `urimill`, its detection and its program.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use urimill_base::error::Result;
use urimill_base::threads::Workers;
use urimill_columns::batch::{Column, Columns, Options, Reading as Spec, RfcOptions};
use urimill_pipeline::{FormatCheck, OnInvalid, Plan, Progress};
use urimill_read::format::{Asked, FormatRow, Keep, UriSource};
use urimill_read::{ChunkOptions, Chunker, Format, LastLine, Source};
use urimill_uri::Standard;
use urimill_uri::audit::FLAG_NAMES;
use urimill_uri::passwords::Hide;
use urimill_uri::resolve::Mode;
use urimill_write::{SinkOptions, Target};

/// A row by the names of its columns; what is null is there.
pub type Row = Map<String, Value>;

/// Makes a reader with these requirements, for batches with these options.
type Make = dyn Fn(&Asked, &Options) -> Result<Format>;

/// A reader and its options: those that a run has by default, until they are changed.
pub struct Reading {
    make: Box<Make>,
    asked: Asked,
    options: Options,
    chunks: ChunkOptions,
    threads: usize,
    /// The columns that rows have, if they are listed.
    only: Option<Vec<String>>,
    /// Whether rows also have the fields that are kept.
    keeps: bool,
}

impl Reading {
    /// The reader that `make` makes.
    pub fn new(make: impl Fn(&Asked, &Options) -> Result<Format> + 'static) -> Reading {
        let asked = Asked { keep: Keep::All, ..Asked::default() };
        let chunks = ChunkOptions { force_format: true, checks_format: true, ..ChunkOptions::default() };
        Reading {
            make: Box::new(make),
            asked,
            options: Options::default(),
            chunks,
            threads: 1,
            only: None,
            keeps: false,
        }
    }

    /// The reader of the format whose name `what` begins with; options follow it, as for [`Reading::with`].
    ///
    /// # Panics
    /// If no row has the name.
    pub fn named(what: &str, mut formats: impl Iterator<Item = FormatRow>) -> Reading {
        let (name, options) = what.split_once(' ').unwrap_or((what, ""));
        let row = formats.find(|row| row.name == name).unwrap_or_else(|| panic!("no format {name}"));
        Reading::new(move |asked, _| row.reader(asked)).with(options)
    }

    /// A reader of pages, which have a base of their own or `--base`, with these options; a reference has the columns of
    /// its base beside the usual ones.
    pub fn links(
        options: &str,
        make: impl Fn(&Asked, &Options, Option<&str>) -> Result<Format> + 'static,
    ) -> Reading {
        let (mut base, mut rest) = (None, Vec::new());
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "--base" => base = words.next().map(str::to_owned),
                _ => rest.push(word),
            }
        }
        let reading = Reading::new(move |asked, options| make(asked, options, base.as_deref()));
        reading.with("--columns +base").with(&rest.join(" "))
    }

    /// Sets options by the names and values that they have on the command line.
    ///
    /// # Panics
    /// If an option or its value is unknown here.
    pub fn with(mut self, options: &str) -> Reading {
        let mut words = options.split_whitespace();
        while let Some(option) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{option} lacks its value"));
            match option {
                "--base" => self.options = self.options.with_base(value()).expect("a base"),
                "--level" => self.rfc(|rfc| rfc.level = value().parse().expect("a level")),
                "--compat" => self.rfc(|rfc| rfc.mode = Mode::Compatible),
                "--repair" => self.rfc(|rfc| rfc.repair = true),
                "--spec" => match value().parse().expect("a specification") {
                    Standard::Rfc(spec) => self.rfc(|rfc| rfc.spec = spec),
                    Standard::Whatwg => self.options.reading = Spec::Whatwg,
                },
                "--columns" => self.columns(value()),
                "--keep" => {
                    self.asked.keep = value().parse().expect("fields");
                    self.keeps = true;
                }
                "--records" => self.asked.records = value().parse().expect("types of records"),
                "--uri-field" => {
                    let name = value();
                    self.asked.uri = Some(UriSource::Field(name.parse().expect("a field")));
                    self.asked.uri_name = Some(name.to_owned());
                }
                "--unwrap" => self.asked.unwrap = Some(value().to_owned()),
                "--base-field" => self.asked.base = Some(value().to_owned()),
                "--mask-passwords" => self.options.hide = Hide::Passwords,
                "--encoding" => self.chunks.encoding = Some(value().parse().expect("an encoding")),
                "--max-record" => self.options.max_record = value().parse().expect("bytes"),
                "--chunk" => self.chunks.chunk_bytes = value().parse().expect("bytes"),
                "--threads" => self.threads = value().parse().expect("a number"),
                "--last-line" => {
                    let name = value();
                    let named = LastLine::NAMED.into_iter().find(|(own, _)| *own == name);
                    self.chunks.last_line = named.expect("what becomes of a last line").1;
                }
                _ => panic!("the option {option} is unknown here"),
            }
        }
        self
    }

    fn rfc(&mut self, set: impl FnOnce(&mut RfcOptions)) {
        let mut rfc = self.options.reading.rfc();
        set(&mut rfc);
        self.options.reading = Spec::Rfc(rfc);
    }

    /// urimill's own columns, and if the list has no signs those of fields.
    fn columns(&mut self, list: &str) {
        let is_own = |name: &&str| {
            Column::ALL.iter().any(|column| column.as_str() == name.trim_start_matches(['+', '-']))
        };
        let own: Vec<&str> = list.split(',').filter(is_own).collect();
        self.options.columns = Columns::default().changed(&own.join(",")).expect("columns");
        let listed = || list.split(',').map(str::to_owned).collect();
        self.only = (!list.starts_with(['+', '-'])).then(listed);
    }

    /// Describes the log by a format string.
    pub fn described_by(mut self, format: &str) -> Reading {
        self.asked.log_format = Some(format.to_owned());
        self
    }

    /// The rows of an input, those of malformed records among them.
    pub fn rows(&self, input: impl AsRef<[u8]>) -> Vec<Row> {
        self.try_rows(input).expect("an input that can be read")
    }

    /// The same, or the error that ends the run.
    pub fn try_rows(&self, input: impl AsRef<[u8]>) -> Result<Vec<Row>> {
        let input = Box::new(Cursor::new(input.as_ref().to_vec()));
        // Without a name: as for standard input, there is no file.
        self.read(|options| Chunker::from_reader("", input, options, Arc::default()))
    }

    /// The rows of a file.
    pub fn rows_of(&self, file: &Path) -> Vec<Row> {
        let source = Source::File(file.to_owned());
        self.read(|options| Chunker::new(vec![source], options, Arc::default()))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    fn read(&self, chunker: impl FnOnce(ChunkOptions) -> Chunker) -> Result<Vec<Row>> {
        let asked = self.asked.clone().resolving(&self.options);
        let format = (self.make)(&asked, &self.options)?;
        let max_record = self.options.max_record;
        let source = chunker(ChunkOptions { format, max_record, ..self.chunks.clone() }).begin()?;
        let options = Options { extra: source.extra_columns(), ..self.options.clone() };
        let plan = Plan::new(&source, options, false)?.check_format(FormatCheck::Not);
        let folder = folder();
        let path = folder.path().join("rows.jsonl");
        let sink_options = SinkOptions { flag_names: FLAG_NAMES, ..SinkOptions::default() };
        let target = Target::create(&path, false)?;
        let sink =
            urimill_write::create(urimill_write::Format::Jsonl, target, plan.table_schema(), &sink_options)?;
        urimill_pipeline::run(
            source,
            &plan,
            &Workers::start(self.threads),
            sink,
            OnInvalid::Keep,
            &Progress::default(),
        )?;
        let text = std::fs::read(&path).expect("the rows");
        let lines = text.split_inclusive(|&b| b == b'\n');
        let mut rows: Vec<Row> = lines.map(|line| serde_json::from_slice(line).expect("an object")).collect();
        if let Some(only) = self.only.as_ref().filter(|_| !self.keeps) {
            rows.iter_mut().for_each(|row| row.retain(|name, _| only.contains(name)));
        }
        Ok(rows)
    }
}

/// A folder that is removed: in memory, where there is such a place, because every output is synced.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder")
}

/// Asserts that a row has these values, by the names of columns.
pub fn assert_has(row: &Row, expected: &Value, what: &str) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&row[name], value, "{what}: {name} of {row:?}");
    }
}

/// Asserts that rows have the values of these, row by row: see [`assert_has`].
pub fn assert_all_have(rows: &[Row], expected: &Value, what: &str) {
    let expected = expected.as_array().expect("an array");
    assert_eq!(rows.len(), expected.len(), "{what}: {rows:?}");
    rows.iter().zip(expected).for_each(|(row, expected)| assert_has(row, expected, what));
}

/// The values of some columns, with commas between; a null is empty.
pub fn values(rows: &[Row], columns: &[&str]) -> Vec<String> {
    let value = |row: &Row, column: &&str| match &row[*column] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = |row| columns.iter().map(|column| value(row, column)).collect::<Vec<_>>().join(",");
    rows.iter().map(line).collect()
}

/// Rows in short: number, text, error.
pub fn told(rows: &[Row]) -> Vec<String> {
    let short = |text: &str| text.chars().take(24).collect::<String>().replace("\r\n", "|");
    rows.iter()
        .map(|row| {
            let error = row["error"]
                .as_str()
                .map_or(String::new(), |error| format!(" {error} {}", row["error_offset"]));
            format!("{} {}{error}", row["record"], short(row["uri"].as_str().expect("a text")))
        })
        .collect()
}
