//! The options about reading records, shared by every run that reads records. `input_format` has the rules and makes
//! the reader; this module has the setters.

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_read::format::{Header, Keep, RecordTypes};
use urimill_read::{ChunkOptions, Encoding, LastLine, OnDamage};

use super::input_format::{InputFormat, InputOptions};
use super::setting::{Setting, Settings};

impl InputOptions {
    /// The defaults: the format of each input is detected.
    pub fn new() -> Self {
        InputOptions::default()
    }

    /// The format of the inputs. By default each is detected from its beginning, as with [`InputFormat::Auto`].
    pub fn format(self, format: InputFormat) -> Self {
        InputOptions { format: Some(format), ..self }
    }

    /// The field that holds the URI: its name in the header or its number from 1 in CSV and TSV, a member's name in
    /// JSON Lines, the name or number of a column of a table, or `a.b` for a field of a struct.
    ///
    /// Further names, separated by commas, are fields with further URIs, whose columns have their names as prefixes:
    /// `href,src` gives `uri`, `host` and so on for the first, and `src_uri`, `src_host` for the other. A `+` before
    /// the first name keeps the format's own field for the first URI: `+referer`.
    pub fn uri_field(self, field: impl Into<String>) -> Self {
        InputOptions { uri_field: Some(field.into()), ..self }
    }

    /// The URI as a template with fields in braces, instead of [`uri_field`](Self::uri_field):
    /// `https://{host}{path}?{query}`. A null field is left out with the `?`, `#` or `:` before it; without a scheme or
    /// a host the record has no URI. If the template is wrong, [`Error::marked`](crate::Error::marked) has the byte.
    pub fn uri_template(self, template: impl Into<String>) -> Self {
        InputOptions { uri_template: Some(template.into()), ..self }
    }

    /// The field with the request line, instead of [`uri_field`](Self::uri_field): `GET /a HTTP/1.1`. Its target is
    /// read like that of an access log, and the columns `method` and `protocol` have the rest.
    pub fn request_line(self, field: impl Into<String>) -> Self {
        InputOptions { request_line: Some(field.into()), ..self }
    }

    /// The field with the base of the URI reference; if it is empty,
    /// [`NormalizeOptions::base`](super::NormalizeOptions::base) is used.
    pub fn base_field(self, field: impl Into<String>) -> Self {
        InputOptions { base_field: Some(field.into()), ..self }
    }

    /// Adds a format that a user's file defines. If the format of an input is detected, those of files come before those
    /// that urimill knows.
    pub fn format_file(mut self, file: super::FormatFile) -> Self {
        self.format_files.push(file);
        self
    }

    /// Reads a log whose lines this format string describes, as it is in a configuration of Apache (`LogFormat`) or
    /// nginx (`log_format`), or of another server with its name before it (`squid:%ts.%03tu …`), or a nickname such as
    /// `combined`; [`format`](Self::format) must not be set then. If the string is wrong,
    /// [`Error::marked`](crate::Error::marked) has the byte.
    pub fn log_format(self, format: impl Into<String>) -> Self {
        InputOptions { log_format: Some(format.into()), ..self }
    }

    /// The separator of fields in CSV instead of the comma: one byte of ASCII, not a quote or a line end.
    pub fn delimiter(self, delimiter: impl Into<String>) -> Self {
        InputOptions { delimiter: Some(delimiter.into()), ..self }
    }

    /// Lines of a list, CSV or TSV that begin with this text are comments: not records, and counted with the blank
    /// lines.
    pub fn comment(self, prefix: impl Into<String>) -> Self {
        InputOptions { comment: Some(prefix.into()), ..self }
    }

    /// The encoding of the inputs, which are text: `"utf-16".parse()`. By default it is UTF-8. Columns and offsets
    /// refer to the text in UTF-8. Bytes that are invalid in the encoding make their record a reject.
    pub fn encoding(self, encoding: Encoding) -> Self {
        self.with(|sources| sources.encoding = Some(encoding))
    }

    /// Skips the bodies of records that are compressed one by one (`.warc.gz`, `.arc.gz`) without decompressing them,
    /// if the length in the record's header and the one at the end of the compressed record agree and no option needs
    /// the body. Damage in such a body is not noticed, and a hostile body can contain something that looks like the
    /// next record: for archives of a known origin. Nothing is skipped in a run that continues after damage or is
    /// verified.
    pub fn skip_bodies(self, skips_bodies: bool) -> Self {
        self.with(|sources| sources.skips_bodies = skips_bodies)
    }

    /// The treatment of the last line of a log that has no line feed and may be cut off. By default its row has
    /// `unfinished` in the column `field_errors`, unless a quote or a bracket ends its last field.
    pub fn last_line(self, last_line: LastLine) -> Self {
        self.with(|sources| sources.last_line = last_line)
    }

    /// What is taken off around each line of a log: `auto` (the default), `none`, or the names of wrappers with commas
    /// between, the outermost first: `syslog`, `journald,docker`, `json:message`, `csv:_raw`.
    pub fn unwrap_lines(self, wrappers: impl Into<String>) -> Self {
        InputOptions { unwrap: Some(wrappers.into()), ..self }
    }

    /// Skips the first lines of each input, which are not records; the format is detected from the lines after them. An
    /// input that is not text is an error.
    pub fn skip_lines(self, lines: u64) -> Self {
        self.with(|sources| sources.skip_lines = lines)
    }

    /// The treatment of inputs that are truncated or damaged.
    pub fn on_damage(self, on_damage: OnDamage) -> Self {
        self.with(|sources| sources.on_damage = on_damage)
    }

    /// Whether the first record of an input names the fields; auto: if an option names a field
    pub fn header(self, header: Header) -> Self {
        InputOptions { header: Some(header), ..self }
    }

    /// Treats quotes in CSV and TSV as ordinary characters: every line is a record then.
    pub fn no_quotes(self, no_quotes: bool) -> Self {
        InputOptions { no_quotes, ..self }
    }

    /// The other fields of records that get columns, in a run that writes them. By default all; none if
    /// [`Conversion::columns`](super::Conversion::columns) lists exactly the columns of the table, and none with
    /// [`TableSchema::CcIndex`](super::TableSchema::CcIndex).
    pub fn keep(self, keep: Keep) -> Self {
        InputOptions { keep: Some(keep), ..self }
    }

    /// The records of web archives that are read, by type: all, or types separated by commas, as in
    /// response,revisit; in a WAT, those that describe records of these types
    pub fn records(self, types: RecordTypes) -> Self {
        InputOptions { records: Some(types), ..self }
    }
}

impl InputOptions {
    fn with(mut self, set: impl FnOnce(&mut ChunkOptions)) -> Self {
        set(&mut self.sources);
        self
    }
}

impl Settings for InputOptions {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        use OptionName::*;
        match setting.option() {
            Format => match setting.parsed() {
                Ok(format) => self.format = Some(format),
                // A file that is given later may define it; `check` refuses it otherwise.
                Err(_) => self.format_name = Some(setting.text()?),
            },
            FormatFile => {
                let files = setting.texts().into_iter().map(super::FormatFile::read_all);
                self.format_files.extend(files.collect::<Result<Vec<_>>>()?.into_iter().flatten());
            }
            LogFormat => self.log_format = Some(setting.text()?),
            Delimiter => self.delimiter = Some(setting.text()?),
            Comment => self.comment = Some(setting.text()?),
            Encoding => self.sources.encoding = Some(setting.parsed()?),
            UriField => self.uri_field = Some(setting.text()?),
            UriTemplate => self.uri_template = Some(setting.text()?),
            RequestLine => self.request_line = Some(setting.text()?),
            BaseField => self.base_field = Some(setting.text()?),
            Header => self.header = Some(setting.one_of(urimill_read::format::Header::NAMED)?),
            NoQuotes => self.no_quotes = setting.is_on()?,
            Keep => self.keep = Some(setting.parsed()?),
            Records => self.records = Some(setting.parsed()?),
            SkipBodies => self.sources.skips_bodies = setting.is_on()?,
            OnDamage => self.sources.on_damage = setting.one_of(urimill_read::OnDamage::NAMED)?,
            SkipLines => self.sources.skip_lines = setting.number()?,
            LastLine => self.sources.last_line = setting.one_of(urimill_read::LastLine::NAMED)?,
            Unwrap => self.unwrap = Some(setting.text()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl InputOptions {
    /// Whether a run goes on after damage in an input.
    pub(super) fn outlives_damage(&self) -> bool {
        self.has(OptionName::OnDamage)
    }

    /// Whether an option differs from its default.
    pub(super) fn has(&self, option: OptionName) -> bool {
        use OptionName::*;
        match option {
            Format => self.format.is_some_and(|format| !format.is_detected) || self.format_name.is_some(),
            FormatFile => !self.format_files.is_empty(),
            LogFormat => self.log_format.is_some(),
            Delimiter => self.delimiter.is_some(),
            Comment => self.comment.is_some(),
            Encoding => self.sources.encoding.is_some(),
            UriField => self.uri_field.is_some(),
            UriTemplate => self.uri_template.is_some(),
            RequestLine => self.request_line.is_some(),
            BaseField => self.base_field.is_some(),
            Header => self.header.is_some(),
            NoQuotes => self.no_quotes,
            Keep => self.keep.is_some(),
            Records => self.records.is_some(),
            SkipBodies => self.sources.skips_bodies,
            OnDamage => self.sources.on_damage != urimill_read::OnDamage::default(),
            SkipLines => self.sources.skip_lines > 0,
            LastLine => self.sources.last_line != urimill_read::LastLine::default(),
            Unwrap => self.unwrap.is_some(),
            _ => false,
        }
    }
}
