//! The options of a user for the records of an input, whichever format reads them.

use std::sync::Arc;

use urimill_base::error::Result;
use urimill_columns::batch::Options;

use super::base::Within;
use super::comment::Comment;
use super::fields::{Field, Header, UriSource};
use super::keep::Keep;
use super::record_types::RecordTypes;
use super::template::Template;

/// The options of a format.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Where the URI stands, if the user says so; the format then has named or numbered fields.
    pub uri: Option<UriSource>,
    /// The name of its field as it is written: members of objects may have digits for a name.
    pub uri_name: Option<String>,
    /// The field with its base.
    pub base: Option<String>,
    /// Whether the first record of a source names the fields.
    pub header: Header,
    /// The byte between fields, if it is not the default of the format.
    pub separator: Option<u8>,
    /// Whether quotes are ordinary characters in fields with separators between them.
    pub no_quotes: bool,
    /// The prefix of comment lines.
    pub comment: Comment,
    /// The fields that pass through.
    pub keep: Keep,
    /// Columns that the run names beside [`Asked::keep`]: an empty input has them, too, where only a record shows the
    /// fields.
    pub named: Vec<String>,
    /// Which records of an archive are rows.
    pub records: RecordTypes,
    /// The longest record that is held whole.
    pub longest: usize,
    /// The bases against which bases in documents are resolved.
    pub within: Within,
    /// The format string that describes a log.
    pub log_format: Option<String>,
    /// The formats that a user's files define: the name and the text of each.
    pub formats: Vec<(&'static str, &'static str)>,
    /// The wrappers that are removed from the lines of a log, if the user names any.
    pub unwrap: Option<String>,
}

impl Asked {
    /// Keeps only these of the other fields, with records of at most `longest` bytes.
    pub fn keeping(keep: Keep, longest: usize) -> Asked {
        Asked { keep, longest, ..Asked::default() }
    }

    /// Takes the longest record and the bases of documents from these options.
    pub fn resolving(self, options: &Options) -> Asked {
        Asked { longest: options.max_record, within: Within::of(options), ..self }
    }

    /// Whether the user names the field with the URI, or the field with its base.
    pub fn names_fields(&self) -> bool {
        self.uri.is_some() || self.base.is_some()
    }

    /// The template that makes the URI of fields, if one is given.
    pub fn template(&self) -> Option<Arc<Template>> {
        self.uri.as_ref().and_then(UriSource::template).cloned()
    }

    /// The field with the base.
    ///
    /// # Errors
    /// Usage, if a number is not that of a field.
    pub(crate) fn base_field(&self) -> Result<Option<Field>> {
        self.base.as_deref().map(str::parse).transpose()
    }
}
