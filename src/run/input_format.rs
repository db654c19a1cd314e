//! The formats of inputs by name, and the options of a run that say how records are read: builds a reader from them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::option_name::OptionName;
use crate::read::format::{
    Auto, Cdx, Cdxj, Clf, Comment, CrawlList, Delimited, Field, Fields, Framed, Header, Heritrix, Jsonl,
    Keep, Lines, Log, RecordTypes, Table, TableFields, Template, UriSource, Warc, Within, log_formats,
};
use crate::read::{Encoding, Format, LastLine};

/// The format of a log that a row of the table of definitions describes, by its name: `"haproxy".parse()` as an
/// [`InputFormat`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogFormat(&'static str);

/// A log that a format string describes.
const DESCRIBED: LogFormat = LogFormat("log-format");

macro_rules! input_formats {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal, $meaning:literal;)*) => {
        /// What the inputs of a run hold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[non_exhaustive]
        pub enum InputFormat {
            $($(#[$attribute])* #[doc = concat!($meaning, ".")] $variant,)*
            /// A log that the table of definitions describes: see [`LogFormat`].
            Log(LogFormat),
        }

        impl InputFormat {
            /// Every format, in the order in which help texts list them.
            pub fn all() -> impl Iterator<Item = InputFormat> {
                let logs = log_formats().map(|(name, _)| InputFormat::Log(LogFormat(name)));
                [$(InputFormat::$variant),*].into_iter().chain(logs)
            }

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(InputFormat::$variant => $name,)*
                    InputFormat::Log(LogFormat(name)) => name,
                }
            }

            /// What an input in this format holds: a clause.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(InputFormat::$variant => $meaning,)*
                    InputFormat::Log(LogFormat(name)) => {
                        log_formats().find(|(own, _)| *own == name).map_or("", |(_, meaning)| meaning)
                    }
                }
            }
        }
    };
}

input_formats! {
    Lines = "lines", "One URI reference a line";
    Csv = "csv", "Fields separated by commas, quoted as in RFC 4180";
    Tsv = "tsv", "Fields separated by tabs, quoted as in csv";
    Heritrix = "heritrix", "The crawl.log of Heritrix";
    Cdx = "cdx", "CDX, the index of web archives: a header names the fields by letter, or there are 7, 9, 10 or 11; or arrays of JSON, as servers answer";
    Cdxj = "cdxj", "CDXJ: key, timestamp, and a JSON object whose member url is the URI; or the object alone";
    Clf = "clf", "Common or Combined Log Format of web servers, with or without virtual hosts: the target \
     of the request, against the base or the virtual host";
    Jsonl = "jsonl", "A JSON object a line";
    Warc = "warc", "The files of web archives: the target of each record; blocks are skipped";
    Wat = "wat", "Metadata records extracted from web archives";
    Wacz = "wacz", "WACZ files: the archives in them; cdxj reads their indexes";
    Arc = "arc", "ARC, the files of web archives before WARC: the target of each record";
    Sitemap = "sitemap", "Sitemaps and indexes of sitemaps: the location of each element";
    Feed = "feed", "Feeds (RSS, Atom): the link of each entry";
    Robots = "robots", "robots.txt: its sitemaps";
    Har = "har", "HAR files, the requests of a browser: the URL of each entry";
    Json = "json", "An array of JSON objects";
    Nutch = "nutch", "Dumps of the CrawlDb of Nutch: the URI of each paragraph";
    Seeds = "seeds", "Seeds of Nutch and StormCrawler: a URI a line, perhaps with metadata after tabs";
    Scrapy = "scrapy", "Feeds of Scrapy: objects a line, an array of them, or CSV; the URI is in the field url unless another is named";
    Parquet = "parquet", "Apache Parquet files: tables, whose other columns pass through unchanged";
    Arrow = "arrow", "Arrow IPC files and streams: tables, as with parquet";
    #[default]
    Auto = "auto", "Detect the format by the beginning of each input; refuse formats that urimill does not read";
}

impl InputFormat {
    /// Whether the inputs are tables, whose records stand in columns.
    pub const fn is_table(self) -> bool {
        matches!(self, InputFormat::Parquet | InputFormat::Arrow)
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = InputFormat::all().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names: Vec<_> = InputFormat::all().map(InputFormat::name).collect();
            Error::usage(format!(
                "{} is unknown: use one of {}",
                OptionName::Format.with(name),
                names.join(", ")
            ))
        })
    }
}

/// How records are read.
///
/// ```
/// use urimill::run::{Dedupe, InputFormat, InputOptions, Output};
///
/// let folder = tempfile::tempdir()?;
/// let links = folder.path().join("links.csv");
/// std::fs::write(&links, "page,href\n1,http://example.com\n2,http://EXAMPLE.com/\n")?;
/// let options = InputOptions::new().format(InputFormat::Csv).uri_field("href");
/// let output = Output::to(folder.path().join("distinct.csv"));
/// let stats = Dedupe::new().inputs([links]).read_as(options).write_to(output).run()?;
/// assert_eq!((stats.records, stats.rows), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing until a run has them"]
#[non_exhaustive]
pub struct InputOptions {
    pub(super) format: Option<InputFormat>,
    pub(super) log_format: Option<String>,
    pub(super) delimiter: Option<String>,
    pub(super) comment: Option<String>,
    pub(super) encoding: Option<Encoding>,
    pub(super) uri_field: Option<String>,
    pub(super) uri_template: Option<String>,
    pub(super) request_line: Option<String>,
    pub(super) base_field: Option<String>,
    pub(super) header: Option<Header>,
    pub(super) no_quotes: bool,
    pub(super) keep: Option<Keep>,
    pub(super) records: Option<RecordTypes>,
    pub(super) skips_bodies: bool,
    pub(super) last_line: LastLine,
}

impl InputOptions {
    /// The format that is asked for.
    pub(super) fn asked_format(&self) -> InputFormat {
        let described = self.log_format.as_ref().map(|_| InputFormat::Log(DESCRIBED));
        described.or(self.format).unwrap_or_default()
    }

    /// Whether the caller names the field with the URI.
    pub(super) fn names_fields(&self) -> bool {
        self.names_uri() || self.base_field.is_some()
    }

    /// Whether the caller says what the URI is made from.
    fn names_uri(&self) -> bool {
        self.first_uri().is_some() || self.uri_template.is_some() || self.request_line.is_some()
    }

    /// The place of the URI, if the caller names it.
    fn uri_source(&self) -> Result<Option<UriSource>> {
        Ok(match (&self.uri_template, &self.request_line) {
            (Some(template), _) => Some(UriSource::Template(Arc::new(Template::new(template)?))),
            (None, Some(field)) => Some(UriSource::RequestLine(field.parse()?)),
            (None, None) => field(self.first_uri())?.map(UriSource::Field),
        })
    }

    fn template(&self) -> Result<Option<Arc<Template>>> {
        Ok(self.uri_source()?.and_then(|source| source.template().cloned()))
    }

    /// Whether the caller asks for other fields.
    pub(super) fn asks_for_fields(&self) -> bool {
        self.keep.as_ref().is_some_and(|keep| *keep != Keep::None)
    }

    /// The reader, with exactly these of the other fields. The options have been [checked](Self::check).
    pub(super) fn reader(&self, max_record: usize, keep: &Keep) -> Result<Format> {
        if let Some(format) = &self.log_format {
            return Ok(Log::described(format, self.template()?, keep)?.into());
        }
        Ok(match self.asked_format() {
            InputFormat::Lines => Lines(self.comment_lines()).into(),
            InputFormat::Heritrix => Heritrix::new(keep)?.into(),
            InputFormat::Cdx => Cdx::new(keep)?.into(),
            InputFormat::Cdxj => Cdxj::new(keep)?.into(),
            InputFormat::Clf if self.uri_template.is_none() => Clf::new(keep)?.into(),
            InputFormat::Clf => self.log("clf", keep)?,
            InputFormat::Log(LogFormat(name)) => self.log(name, keep)?,
            InputFormat::Csv => {
                let csv = Delimited::csv(self.fields()?, max_record)?;
                self.delimited(csv.separated_by(self.separator()?), keep)?
            }
            InputFormat::Tsv => self.delimited(Delimited::tsv(self.fields()?, max_record)?, keep)?,
            InputFormat::Jsonl => self.objects(keep)?.into(),
            InputFormat::Json => Framed::items(self.objects(keep)?, max_record).into(),
            InputFormat::Arc
            | InputFormat::Sitemap
            | InputFormat::Feed
            | InputFormat::Har
            | InputFormat::Nutch => Framed::new(self.asked_format().name(), keep, max_record)?.into(),
            InputFormat::Robots => CrawlList::robots(keep)?.into(),
            InputFormat::Seeds => CrawlList::seeds(keep)?.into(),
            InputFormat::Wacz => Warc::new(keep, max_record)?.in_wacz().only(self.record_types()).into(),
            InputFormat::Warc => Warc::new(keep, max_record)?.only(self.record_types()).into(),
            InputFormat::Wat => Warc::wat(keep, max_record)?.only(self.record_types()).into(),
            InputFormat::Parquet => Table::parquet(self.table_fields(keep)?).into(),
            InputFormat::Arrow => Table::arrow(self.table_fields(keep)?).into(),
            InputFormat::Auto | InputFormat::Scrapy => Auto {
                fields: match self.asked_format() {
                    // The field in the examples of Scrapy's documentation.
                    InputFormat::Scrapy if !self.names_fields() => Some(Fields {
                        uri: UriSource::Field("url".parse()?),
                        base: None,
                        header: Header::Auto,
                    }),
                    _ => self.names_fields().then(|| self.fields()).transpose()?,
                },
                keep: keep.clone(),
                has_quotes: !self.no_quotes,
                longest: max_record,
                records: self.record_types(),
                comment: self.comment_lines(),
                indexes: None,
                within: Within::default(),
                named: Vec::new(),
            }
            .into(),
        })
    }

    fn log(&self, name: &str, keep: &Keep) -> Result<Format> {
        Ok(Log::new(name, keep)?.with_template(self.template()?).into())
    }

    /// JSON objects with members that the caller names.
    fn objects(&self, keep: &Keep) -> Result<Jsonl> {
        // A member's name may consist of digits.
        let named = self.first_uri().map(|name| UriSource::Field(Field::Name(name.to_owned())));
        let uri = named.map_or_else(|| self.uri_source(), |named| Ok(Some(named)))?;
        Jsonl::of(uri.ok_or_else(|| self.no_uri_field())?, self.base_field.as_deref(), keep)
    }

    /// The byte between the fields of CSV.
    fn separator(&self) -> Result<u8> {
        match self.delimiter.as_deref().map(str::as_bytes) {
            None => Ok(b','),
            Some(b"\\t") => Ok(b'\t'),
            Some(&[byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(byte),
            Some(_) => Err(Error::usage(format!(
                "{} is not one ASCII character, or it is a quote or a line end",
                OptionName::Delimiter.with(self.delimiter.as_deref().unwrap_or_default())
            ))),
        }
    }

    fn record_types(&self) -> RecordTypes {
        self.records.clone().unwrap_or_default()
    }

    /// Whether records of other types are passed over.
    pub(super) fn selects_records(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.is_all())
    }

    fn delimited(&self, format: Delimited, keep: &Keep) -> Result<Format> {
        let format = format.with_comments(self.comment_lines()).keeping(keep)?;
        Ok(if self.no_quotes { format.without_quotes() } else { format }.into())
    }

    /// The fields of a table. If the caller does not name the column with the URI, its schema may.
    fn table_fields(&self, keep: &Keep) -> Result<TableFields> {
        Ok(TableFields {
            uri: self.uri_source()?,
            base: field(self.base_field.as_deref())?,
            keep: keep.clone(),
        })
    }

    fn fields(&self) -> Result<Fields> {
        let uri = self.uri_source()?.ok_or_else(|| self.no_uri_field())?;
        let header = self.header.unwrap_or(Header::Auto);
        Ok(Fields { uri, base: field(self.base_field.as_deref())?, header })
    }

    /// The rules of these options.
    pub(super) fn check(&self) -> Result<()> {
        self.check_further()?;
        let format = self.asked_format();
        if self.log_format.is_some() && self.format.is_some_and(|format| format != InputFormat::Auto) {
            return Err(Error::usage(format!(
                "{} describes the format of the input: drop {}",
                OptionName::LogFormat.named(),
                OptionName::Format.named()
            )));
        }
        self.separator()?;
        self.check_uri_source(format)?;
        if self.delimiter.is_some() && format != InputFormat::Csv {
            return Err(Error::usage(format!(
                "{} is for fields with a character between: say {}",
                OptionName::Delimiter.named(),
                OptionName::Format.with("csv")
            )));
        }
        self.check_comment(format)?;
        let is_binary = matches!(
            format,
            InputFormat::Warc
                | InputFormat::Wat
                | InputFormat::Wacz
                | InputFormat::Arc
                | InputFormat::Parquet
                | InputFormat::Arrow
        );
        if self.encoding.is_some() && is_binary {
            return Err(Error::usage(format!(
                "{} is for text, and {} is none: drop it",
                OptionName::Encoding.named(),
                OptionName::Format.with(format.name())
            )));
        }
        if format == InputFormat::Lines && matches!(self.keep, Some(Keep::Names(_))) {
            return Err(Error::usage(format!(
                "{} needs a format with fields, and lines have none: choose another {}",
                OptionName::Keep.named(),
                OptionName::Format.named()
            )));
        }
        let may_be_archive =
            matches!(format, InputFormat::Warc | InputFormat::Wat | InputFormat::Wacz | InputFormat::Auto);
        if self.records.is_some() && !may_be_archive {
            return Err(Error::usage(format!(
                "{} is for web archives: use {}",
                OptionName::Records.named(),
                OptionName::Format.with_any(&["warc", "wat", "wacz"])
            )));
        }
        let is_auto_with_fields = format == InputFormat::Auto && self.names_fields();
        let (all, of_text_alone) = (&["csv", "tsv", "jsonl", "parquet", "arrow"][..], &["csv", "tsv"][..]);
        let (fields, quotes) = match format {
            InputFormat::Csv | InputFormat::Tsv => return self.check_uri_field(),
            InputFormat::Scrapy => return Ok(()),
            InputFormat::Jsonl | InputFormat::Json | InputFormat::Parquet | InputFormat::Arrow => {
                (None, of_text_alone)
            }
            _ if is_auto_with_fields => return self.check_uri_field(),
            _ => (Some(all), all),
        };
        let of_fields = [
            (OptionName::UriField, self.first_uri().is_some()),
            (OptionName::BaseField, self.base_field.is_some()),
        ];
        let of_text = [(OptionName::Header, self.header.is_some()), (OptionName::NoQuotes, self.no_quotes)];
        let given = |options: [(OptionName, bool); 2]| {
            options.into_iter().find(|&(_, is_given)| is_given).map(|(option, _)| option)
        };
        let refuse = |option: OptionName, formats: &[&str]| {
            Err(Error::usage(format!(
                "{} needs a format with fields: use {}",
                option.named(),
                OptionName::Format.with_any(formats)
            )))
        };
        if let (Some(formats), Some(option)) = (fields, given(of_fields)) {
            return refuse(option, formats);
        }
        match given(of_text) {
            // Quotes are not part of a table's values, and the option is ignored there.
            Some(OptionName::NoQuotes) if format.is_table() => {}
            Some(option) => return refuse(option, quotes),
            None => {}
        }
        match format {
            InputFormat::Jsonl | InputFormat::Json => self.check_uri_field(),
            _ => Ok(()),
        }
    }

    fn check_uri_source(&self, format: InputFormat) -> Result<()> {
        let sources = [
            (OptionName::UriTemplate, self.uri_template.is_some()),
            (OptionName::RequestLine, self.request_line.is_some()),
            (OptionName::UriField, self.uri_field.is_some()),
        ];
        let mut given = sources.into_iter().filter(|&(_, is_given)| is_given).map(|(option, _)| option);
        let Some(first) = given.next() else { return Ok(()) };
        if let Some(second) = given.next() {
            return Err(Error::usage(format!(
                "{} and {} both say where the URI is: give one of them",
                first.named(),
                second.named()
            )));
        }
        self.uri_source()?;
        let has_fields = match format {
            InputFormat::Csv | InputFormat::Tsv | InputFormat::Jsonl | InputFormat::Json => true,
            InputFormat::Parquet | InputFormat::Arrow | InputFormat::Auto => true,
            InputFormat::Clf | InputFormat::Log(_) => first == OptionName::UriTemplate,
            _ => false,
        };
        match (first, has_fields) {
            // See `check`.
            (OptionName::UriField, _) | (_, true) => Ok(()),
            (option, false) => Err(Error::usage(format!(
                "{} is for formats whose fields the user names, and {} says itself where its URIs are: use {}, or drop it",
                option.named(),
                OptionName::Format.with(format.name()),
                OptionName::Format.with_any(&["csv", "tsv", "jsonl", "parquet", "arrow"])
            ))),
        }
    }

    fn check_comment(&self, format: InputFormat) -> Result<()> {
        let Some(comment) = &self.comment else { return Ok(()) };
        let has_lines = |format| {
            matches!(format, InputFormat::Lines | InputFormat::Csv | InputFormat::Tsv | InputFormat::Auto)
        };
        if !has_lines(format) {
            return Err(Error::usage(format!(
                "{} is for lines, CSV and TSV: use {}, or drop it",
                OptionName::Comment.named(),
                OptionName::Format.with_any(&["lines", "csv", "tsv"])
            )));
        }
        if comment.is_empty() || comment.contains(['"', '\n', '\r']) {
            return Err(Error::usage(format!(
                "{} begins no comments: give a text without quotes and line ends, such as #",
                OptionName::Comment.with(comment)
            )));
        }
        Ok(())
    }

    /// The rule for runs that write no other fields of the records.
    pub(super) fn check_without_fields(&self) -> Result<()> {
        if self.asks_for_fields() {
            return Err(Error::usage(format!(
                "{} is for tables with a row for each record: drop it",
                OptionName::Keep.named()
            )));
        }
        Ok(())
    }

    fn comment_lines(&self) -> Comment {
        Comment::from(self.comment.as_deref().unwrap_or_default())
    }

    fn check_uri_field(&self) -> Result<()> {
        if self.names_uri() { Ok(()) } else { Err(self.no_uri_field()) }
    }

    fn no_uri_field(&self) -> Error {
        let format = self.asked_format();
        Error::usage(format!(
            "{} needs the field of the URI: give {}{}",
            OptionName::Format.with(format.name()),
            OptionName::UriField.with("NAME"),
            if matches!(format, InputFormat::Json | InputFormat::Jsonl) { "" } else { " or NUMBER" }
        ))
    }
}

fn field(name: Option<&str>) -> Result<Option<Field>> {
    name.map(str::parse).transpose()
}
