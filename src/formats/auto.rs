//! Detects the format of an input from its first bytes or lines.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use urimill_archives::arc;
use urimill_base::error::{Error, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::Column;
use urimill_logs::{Detected, Guessed, LOG_HOST, LOG_TIME, Log, Unwrap};
use urimill_read::decode::Wanted;
use urimill_read::format::fields::{Field, Header, UriSource, list};
use urimill_read::format::first_lines;
use urimill_read::format::foreign::Foreign;
use urimill_read::format::format_row::{FIELDS, MADE, ROWS, Sure};
use urimill_read::format::headers::warc::MAGIC;
use urimill_read::format::json::members_of_first;
use urimill_read::format::keep::Keep;
use urimill_read::format::no_lines::no_text;
use urimill_read::format::{Asked, Beginning, First, Format, FormatRow, RecordFormat};

use super::detect;
use super::detect::looks_like;
use super::{FORMATS, InputFormat};

/// The row of detection.
pub(super) const ROW: FormatRow = FormatRow {
    name: "auto",
    meaning: "Detect the format by the beginning of each input; refuse formats that urimill does not read",
    takes: &[FIELDS, MADE, &[OptionName::Comment, OptionName::Records, OptionName::Unwrap]],
    is_detected: true,
    reader: |format, asked| Auto::reader(format, asked.clone()),
    ..FormatRow::TEXT
};

/// The row of the feeds of Scrapy.
pub(super) const SCRAPY: FormatRow = FormatRow {
    name: "scrapy",
    meaning: "Feeds of Scrapy: objects a line, an array of them, or CSV; the URI is in the field url unless another is named",
    takes: &[FIELDS, ROWS],
    reader: |format, asked| match asked.names_fields() {
        true => Auto::reader(format, asked.clone()),
        // The field in the examples of Scrapy's documentation.
        false => {
            let uri = Some(UriSource::Field("url".parse()?));
            Auto::reader(format, Asked { uri, header: Header::Auto, ..asked.clone() })
        }
    },
    ..FormatRow::TEXT
};

/// The row of JSON of any shape.
pub(super) const JSON_LOG: FormatRow = FormatRow {
    name: urimill_logs::GUESSED,
    meaning: urimill_logs::GUESSED_ABOUT,
    takes: &[&[OptionName::Unwrap]],
    reader: |_, asked| Ok(Auto { guesses: true, ..Auto::of(asked.clone()) }.into()),
    ..FormatRow::TEXT
};

/// What is known of an input before its bytes are seen.
#[derive(Debug, Clone)]
struct Auto {
    asked: Asked,
    /// Whether the inputs are objects whose members are judged by their names, however little is known of them.
    guesses: bool,
    /// What the members of the first such input were taken for: the others are read likewise.
    guessed: Arc<OnceLock<Detected>>,
    /// Whether an index of the inputs, which are web archives, is made; and whether the bodies of requests are wanted.
    indexes: Option<bool>,
}

impl RecordFormat for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn begin(&mut self, beginning: &mut dyn Beginning) -> Result<Option<Format>> {
        self.settle(beginning.first()?).map(Some)
    }

    fn is_detected(&self) -> bool {
        true
    }

    fn with_all_fields(&self) -> Option<Format> {
        let Keep::Names(names) = &self.asked.keep else { return None };
        // A log has these only where they are named.
        let named = names.iter().filter(|name| [LOG_TIME, LOG_HOST].contains(&name.as_str()));
        let named: Vec<String> = named.cloned().collect();
        let keep = if named.is_empty() { Keep::All } else { Keep::AllWithOptional(named) };
        Some(Auto { asked: Asked { keep, ..self.asked.clone() }, ..self.clone() }.into())
    }

    fn in_wacz(&self) -> Option<Wanted> {
        Some(Wanted::Archives)
    }

    fn hold_index(&mut self, posts: bool) {
        self.indexes = Some(posts);
    }
}

impl Auto {
    fn reader(format: &FormatRow, mut asked: Asked) -> Result<Format> {
        if asked.names_fields() {
            let base = format.named(&asked)?.base;
            // It is not known yet that the fields are members.
            (asked.uri_name, asked.base) = (None, base.map(|base| base.name()));
        }
        Ok(Auto::of(asked).into())
    }

    fn of(asked: Asked) -> Auto {
        Auto { asked, guesses: false, guessed: Arc::default(), indexes: None }
    }

    /// The format of `source`, which begins with `first`. An input without another format is lines of URIs, as is one
    /// in an unsupported format if the user forces it.
    ///
    /// # Errors
    /// Usage, if the format lacks an option or does not know a field to keep, and if the input looks like an
    /// unsupported format.
    fn settle(&self, First { bytes: first, source, is_forced, .. }: First<'_>) -> Result<Format> {
        let (source, comment) = (&*source, &self.asked.comment);
        if let Some(posts) = self.indexes {
            let mut format = self.settle_archive(first, source)?;
            format.hold_index(posts);
            return Ok(format);
        }
        let found = self.found(&comment.removed(first), source, is_forced)?;
        if !comment.is_none()
            && !FORMATS.iter().any(|format| format.name == found.name() && format.takes(OptionName::Comment))
        {
            return Err(Error::usage(format!(
                "{} is for lines, CSV and TSV, and {source} looks like {}: drop it",
                OptionName::Comment.named(),
                found.name()
            )));
        }
        Ok(found)
    }

    fn settle_archive(&self, first: &[u8], source: &str) -> Result<Format> {
        // An empty one is an archive without records.
        if first.is_empty() || first.trim_ascii_start().starts_with(MAGIC) {
            return InputFormat::Warc.reader(&self.asked);
        }
        if detect::framed(first) == Some(&arc::ROW) {
            return InputFormat::Arc.reader(&self.asked);
        }
        Err(Error::usage(format!(
            "{source} does not look like a web archive: check it, or say {}",
            OptionName::Format.with_any(&["warc", "arc"])
        )))
    }

    /// The format if all inputs are empty: a list, or a format that has the fields that the run names.
    fn of_empty(&self) -> Result<Format> {
        let kept = match &self.asked.keep {
            Keep::Names(names) | Keep::AllWith(names) => &names[..],
            _ => &[],
        };
        let mut seen = HashSet::new();
        let names = kept.iter().chain(&self.asked.named).filter(|name| seen.insert(*name)).cloned();
        let names: Vec<String> = names.collect();
        if names.is_empty() {
            return InputFormat::Lines.reader(&self.asked);
        }
        // The type of another field is unknown, and text holds any.
        let uri = Some(UriSource::Field("".parse()?));
        let asked = Asked { uri, keep: Keep::Names(names), ..self.asked.clone() };
        let known = [InputFormat::Clf, InputFormat::Heritrix, InputFormat::Cdx, InputFormat::Cdxj];
        let known = known.iter().find_map(|format| format.reader(&asked).ok());
        known.map_or_else(|| InputFormat::Jsonl.reader(&asked), Ok)
    }

    /// The format of objects whose members are judged by their names; `None` if the input is something else.
    ///
    /// # Errors
    /// Usage, if no member makes a URI and the user wants members to be judged; if the members are others than those of
    /// the first such input.
    fn objects(&self, first: &[u8], source: &str) -> Result<Option<Format>> {
        let unwrap: Unwrap = self.asked.unwrap.as_deref().unwrap_or("auto").parse()?;
        let detected = match urimill_logs::detect_objects(first, self.guessed.get(), &unwrap) {
            Guessed::Log(detected) => detected,
            Guessed::Doubtful(detected) if self.guesses => detected,
            Guessed::NoUri(found) if self.guesses => {
                let found = if found.is_empty() { "nothing".to_owned() } else { found };
                let names = members_of_first(first);
                return Err(Error::usage(format!(
                    "no member of {source} makes a URI: found {found}; the members of the first object are {}; say which \
                     holds the URI, with {} {}",
                    list(&names),
                    OptionName::Format.with("jsonl"),
                    OptionName::UriField.with("NAME")
                )));
            }
            _ => return Ok(None),
        };
        let known = self.guessed.get_or_init(|| detected.clone());
        if !known.is_same(&detected) {
            return Err(Error::usage(format!(
                "{source} is JSON with other members than the inputs before it: read them in calls of their own"
            )));
        }
        Ok(Some(Log::detected(detected, &self.asked, None, (first, source))?.into()))
    }

    fn found(&self, first: &[u8], source: &str, is_forced: bool) -> Result<Format> {
        let asked = &self.asked;
        let names_fields = asked.names_fields();
        if first.is_empty() && !names_fields {
            return self.of_empty();
        }
        if self.guesses {
            return self.objects(first, source)?.ok_or_else(|| no_objects(first, source));
        }
        let refuse = |found: Option<Foreign>| match found.filter(|_| !is_forced) {
            Some(foreign) => Err(match self.unlike_given(first, source) {
                Some((1.., error)) => error,
                _ => foreign.refuse(source),
            }),
            None => Ok(()),
        };
        // What stands in the blocks of an archive may be no text.
        let is_certain = |format: &&FormatRow| {
            (format.is_table() || !names_fields) && (format.detect)(first) >= Sure::Document
        };
        if let Some(format) = FORMATS.iter().find(is_certain) {
            return format.reader(asked);
        }
        refuse(no_text(first))?;
        if names_fields && is_array(first) {
            return InputFormat::Json.reader(asked);
        }
        let (template, like) = (asked.template(), looks_like(first));
        let unwrap: Unwrap = asked.unwrap.as_deref().unwrap_or("auto").parse()?;
        if let Some(detected) = urimill_logs::detect_given(first, &asked.formats, &unwrap)
            && (!names_fields || template.is_some())
        {
            return Ok(Log::detected(detected, asked, template, (first, source))?.into());
        }
        if (!names_fields || template.is_some())
            && like.is_none_or(|format| *format == urimill_logs::access::ROW)
            && let Some(detected) = urimill_logs::detect_as(first, &unwrap)
                .filter(|detected| template.is_some() || !detected.is_bare_clf())
        {
            return Ok(Log::detected(detected, asked, template, (first, source))?.into());
        }
        // A field of lines of a log is no field of URIs.
        if let (Some(UriSource::Field(field)), None) = (&asked.uri, &asked.base)
            && let Some(detected) = urimill_logs::detect_within(first, &named(field), &unwrap)
        {
            return Ok(Log::detected(detected, asked, None, (first, source))?.into());
        }
        refuse(detect::document(first))?;
        if names_fields {
            return of_first_line(first).reader(asked);
        }
        if let Some(format) = like {
            return format.reader(asked);
        }
        if let Some(format) = self.objects(first, source)? {
            return Ok(format);
        }
        unwrap.refuse(source)?;
        refuse(detect::no_list(first))?;
        if let Keep::Names(names) | Keep::AllWith(names) = &asked.keep {
            let name = names.first().map_or("", String::as_str);
            let columns: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
            return Err(Error::usage(format!(
                "there is no field {name:?}{}: {source} looks like a list of URIs, which has no fields; columns are {}",
                did_you_mean(name, columns.iter().copied()),
                columns.join(", ")
            )));
        }
        match self.unlike_given(first, source).filter(|_| !is_forced) {
            Some((_, error)) => Err(error),
            None => InputFormat::Lines.reader(asked),
        }
    }

    /// The error for an input of no known format, if the user has given formats, none of which fits most of its lines;
    /// and how many lines the nearest one fits.
    fn unlike_given(&self, first: &[u8], source: &str) -> Option<(usize, Error)> {
        let (name, count, lines) = urimill_logs::nearest_given(first, &self.asked.formats)?;
        let error = Error::usage(format!(
            "{source} is of no format that is known or given: of its first lines {count} of {lines} are of {name}; {} reads \
             all of them as such",
            OptionName::Format.with(name)
        ));
        Some((count, error))
    }
}

/// The error for an input that is not objects.
fn no_objects(first: &[u8], source: &str) -> Error {
    detect::instead(first, urimill_logs::GUESSED).map_or_else(
        || Error::usage(format!("most of the first lines of {source} are no objects of JSON")),
        |found| found.refuse(source),
    )
}

/// A field as a user names it.
fn named(field: &Field) -> String {
    match field {
        Field::Name(name) => name.clone(),
        Field::Number(number) => number.to_string(),
    }
}

/// Whether it is an array of objects, whose members a user names; or an empty array.
fn is_array(first: &[u8]) -> bool {
    let rest = first.trim_ascii_start().strip_prefix(b"[").unwrap_or_default().trim_ascii();
    rest.starts_with(b"{") || rest == b"]"
}

/// The format of records whose fields a user names, detected from the first record.
fn of_first_line(first: &[u8]) -> InputFormat {
    let mut lines = first.split(|&b| b == b'\n').map(first_lines::trim).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default().trim_ascii();
    // Only the beginning of a long line is here.
    let is_cut = !first.contains(&b'\n');
    let begins = || line.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
    match line {
        _ if line.starts_with(b"{") && line.ends_with(b"}") || is_cut && begins() => InputFormat::Jsonl,
        _ if line.contains(&b'\t') => InputFormat::Tsv,
        _ => InputFormat::Csv,
    }
}
