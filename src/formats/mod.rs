//! The formats of inputs by name: the registry of their rows, and how the format of an input is found out.
//!
//! A format is a row ([`FormatRow`]) and an implementation of [`RecordFormat`](crate::read::format::RecordFormat) beside
//! it. Nothing but this module knows which formats there are.

mod auto;
mod detect;

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use urimill_archives::{arc, cdx, cdxj, heritrix, nutch, warc};
use urimill_base::error::{Error, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_pages::{burp, feed, har, robots, sitemap};
use urimill_read::format::{Asked, FieldSpec, Format, FormatRow, csv, framed, jsonl, lines, tables};

pub(crate) use detect::Contents;

/// The format of the inputs of a run, by its name; `"haproxy".parse()` finds one, too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InputFormat(FormatRow);

macro_rules! formats {
    ($($format:ident = $row:path;)*) => {
        #[allow(non_upper_case_globals, reason = "they are used as the variants of an enum are")]
        impl InputFormat {
            $(/// See [`InputFormat::meaning`].
            pub const $format: InputFormat = InputFormat($row);)*
        }

        /// The formats, in the order in which help texts list them. An input that looks equally like two formats is in
        /// the later one.
        static FORMATS: &[FormatRow] = &[$($row),*];
    };
}

formats! {
    Lines = lines::ROW;
    Csv = csv::format::CSV;
    Tsv = csv::format::TSV;
    Heritrix = heritrix::ROW;
    Cdx = cdx::ROW;
    Cdxj = cdxj::ROW;
    Clf = urimill_logs::access::ROW;
    Jsonl = jsonl::ROW;
    Warc = warc::WARC;
    Wat = warc::WAT;
    Wacz = warc::WACZ;
    Arc = arc::ROW;
    Sitemap = sitemap::ROW;
    Feed = feed::ROW;
    Burp = burp::ROW;
    Robots = robots::ROBOTS;
    Har = har::ROW;
    Json = framed::ARRAY;
    Nutch = nutch::ROW;
    Seeds = robots::SEEDS;
    Scrapy = auto::SCRAPY;
    JsonLog = auto::JSON_LOG;
    Parquet = tables::PARQUET_ROW;
    Arrow = tables::ARROW_ROW;
    Auto = auto::ROW;
}

impl InputFormat {
    /// A log that a format string describes.
    pub(crate) const DESCRIBED: InputFormat = InputFormat(urimill_logs::DESCRIBED);

    /// The format that the file `text` of a user defines; error messages call the file `name`.
    pub(crate) fn of_file(name: &str, text: &str) -> Result<InputFormat> {
        let row = urimill_logs::row_of_file(name, text)?;
        match FORMATS.iter().any(|format| format.name == row.name) {
            false => Ok(InputFormat(row)),
            true => {
                Err(Error::usage(format!("{name}: urimill has a format {:?}: choose another name", row.name)))
            }
        }
    }

    /// The same format, read by the file `text`.
    pub(crate) fn with_definition(self, text: &'static str) -> InputFormat {
        InputFormat(FormatRow { definition: text, ..self.0 })
    }

    /// Every format, in the order in which help texts list them: those of logs with a definition come last.
    pub fn all() -> impl Iterator<Item = InputFormat> {
        FORMATS.iter().copied().chain(urimill_logs::rows()).map(InputFormat)
    }

    /// The formats whose inputs all have the same fields.
    pub fn with_fields() -> impl Iterator<Item = InputFormat> {
        FORMATS.iter().copied().filter(|row| !row.fields().is_empty()).map(InputFormat)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    /// What an input in this format holds: a clause.
    pub const fn meaning(self) -> &'static str {
        self.0.meaning()
    }

    /// Its fields beside the URI, if all inputs have the same.
    pub const fn fields(self) -> &'static [FieldSpec] {
        self.0.fields()
    }

    /// The reader.
    ///
    /// # Errors
    /// Usage, where the format lacks what is asked of it.
    pub fn reader(self, asked: &Asked) -> Result<Format> {
        Ok(self.0.reader(asked)?.looking_like(detect::instead))
    }
}

impl Deref for InputFormat {
    type Target = FormatRow;

    fn deref(&self) -> &FormatRow {
        &self.0
    }
}

impl fmt::Debug for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InputFormat({})", self.name())
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Default for InputFormat {
    fn default() -> InputFormat {
        InputFormat::Auto
    }
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        InputFormat::all().find(|format| format.name() == name).ok_or_else(|| {
            let names: Vec<_> = InputFormat::all().map(InputFormat::name).collect();
            Error::usage(format!(
                "{} is unknown{}: use one of {}",
                OptionName::Format.with(name),
                did_you_mean(name, names.iter().copied()),
                names.join(", ")
            ))
        })
    }
}
