//! The definition of a log: its lines, its detection, its fields with their types, and the parts of its URIs.
//! [`crate::files`] reads definitions from files; [`crate::notation`] describes fields, [`crate::pattern`] lines.

use crate::forms::Values;

/// A format. It lives as long as the process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its description, for help texts and the documentation.
    pub(crate) about: &'static str,
    pub(crate) form: Form,
    /// The escapes of its texts.
    pub(crate) escapes: Escapes,
    /// The forms of values that it defines itself.
    pub(crate) values: Values,
    /// Formats that are detected after it, because they fit its lines, too.
    pub(crate) before: &'static [&'static str],
    /// Words that mean that a field has no value, as `-` does in all formats.
    pub(crate) nulls: &'static [&'static str],
    /// The beginnings of lines that are no records.
    pub(crate) skip: &'static [&'static str],
    /// The file with it; empty for formats without one.
    pub(crate) file: &'static str,
}

/// The form of its records.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines with fields in fixed places, in one of these forms; detected by lines that fit one.
    Lines(Writer, &'static [&'static str]),
    /// JSON objects: paths and fields; detected by these members. Several names of one member have bars between.
    Objects {
        detected_by: &'static [&'static str],
        fields: Fields,
        /// Whether they may have escapes that JSON does not have: nginx writes `\xHH` unless `escape=json` is
        /// configured, and Apache always does.
        has_more_escapes: bool,
    },
    /// Lines of names and values, after one of the forms of `lead` if there are any; detected by these names.
    Pairs {
        dialect: Dialect,
        lead: &'static [&'static str],
        detected_by: &'static [&'static str],
        fields: Fields,
    },
    /// Lines whose fields a header names, and the known names.
    Named { head: HeaderKind, fields: Fields },
    /// The logs of web servers, which `access` reads.
    Clf,
    /// Lines of the form that a user describes.
    Described,
}

/// Where the names stand, and the separator between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderKind {
    /// After `#Fields:`; spaces or tabs between.
    Extended(&'static Header),
    /// After `#fields`; tabs between.
    Zeek(&'static Header),
    /// In the first line that has the names of `detected_by`; a separator between, and quotes around.
    Csv(&'static Header),
}

/// The properties of a header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The names by which the format is detected; all headers of the kind are of the format where there are none.
    pub(crate) detected_by: &'static [&'static str],
    /// The names of the fields if there is no header: those of one of these lists; the first list has the fields with
    /// columns.
    pub(crate) orders: &'static [&'static [&'static str]],
    /// Whether the lines of one input may be of several lists.
    pub(crate) is_mixed: bool,
    /// Whether a line may have more fields than the longest list.
    pub(crate) has_more: bool,
    /// The byte between fields in CSV.
    pub(crate) separator: u8,
}

impl HeaderKind {
    pub(crate) fn header(self) -> &'static Header {
        match self {
            HeaderKind::Extended(header) | HeaderKind::Zeek(header) | HeaderKind::Csv(header) => header,
        }
    }

    /// The lists of names for lines without a header.
    pub(crate) fn orders(self) -> &'static [&'static [&'static str]] {
        self.header().orders
    }

    pub(crate) fn is_csv(self) -> bool {
        matches!(self, HeaderKind::Csv(_))
    }
}

/// How names and values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A byte, or spaces, between pairs, and a byte between name and value, which may have quotes around.
    Words { separator: u8, assign: u8 },
    /// ArcSight's Common Event Format.
    Cef,
    /// QRadar's Log Event Extended Format.
    Leef,
}

/// How the lines of a format are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A backslash precedes a quote that is part of a field.
    Escapes,
    /// Quotes and backslashes of a client are written as they are. Only the whole line shows where each field ends.
    Raw,
    /// Without quotes; runs of spaces separate fields.
    Pads,
}

/// The escapes in the texts of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Escapes {
    /// Texts are as they were sent.
    #[default]
    None,
    /// Apache, nginx and those that write like them: `\xHH`, a backslash before quotes and backslashes.
    Backslash,
    /// The same in the name of a user, where a backslash before a letter is itself.
    BackslashInName,
    /// Zeek: `\xHH` for bytes, `\\` for a backslash.
    Zeek,
    /// Amazon CloudFront: `%HH` for bytes, also for the percent sign itself.
    Percent,
    /// The same in a part of a URI. An escape of a byte that no URI has stays: a URI writes it so.
    PercentInUri,
    /// HAProxy: `#HH` for bytes.
    Hash,
    /// Azure: references of HTML, such as `&amp;`.
    Html,
    /// CEF and LEEF: a backslash before `|`, `=` and itself, and for line ends and tabs.
    Event,
    /// IIS: `+` for a space. A plus that was sent looks the same; the second of two was one, because texts seldom have
    /// two spaces.
    Plus,
    /// The same in cookies, which have a space only after a semicolon.
    CookiePlus,
    /// Traefik: a backslash before quotes, and none before others.
    Quotes,
}

/// Names in the log, and fields.
pub(crate) type Fields = &'static [(&'static str, &'static str)];

impl Definition {
    /// Whether its objects may have escapes that JSON does not have.
    pub(crate) fn has_escapes_beside_json(&self) -> bool {
        matches!(self.form, Form::Objects { has_more_escapes: true, .. })
    }

    /// Whether a line is no record.
    pub(crate) fn skips(&self, line: &[u8]) -> bool {
        self.skip.iter().any(|begin| line.starts_with(begin.as_bytes()))
    }

    /// Whether its lines may be within wrappers: those of a table may whose fields are known without a header.
    pub(crate) fn may_be_wrapped(&self) -> bool {
        match self.form {
            Form::Named { head, .. } => head.is_csv() && !head.orders().is_empty(),
            _ => true,
        }
    }

    /// Whether a header names its fields.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.form, Form::Named { .. })
    }
}
