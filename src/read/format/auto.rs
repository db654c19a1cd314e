//! Which format an input is in, by its first bytes or lines.

use std::collections::HashSet;

use super::base::Within;
use super::cdx::Cdx;
use super::cdxj::Cdxj;
use super::clf::Clf;
use super::comment::Comment;
use super::detect;
use super::detect::looks_like;
use super::fields::{Field, Fields};
use super::first_lines::{self, LINES};
use super::heritrix::Heritrix;
use super::jsonl::Jsonl;
use super::keep::Keep;
use super::log;
use super::log::Log;
use super::record_types::RecordTypes;
use super::robots::CrawlList;
use super::tables::{TableFields, TableKind, kind_of};
use super::warc::wat;
use super::warc::{MAGIC, Warc};
use super::{Delimited, Format, Framed};
use crate::batch::Column;
use crate::error::{Error, Result, did_you_mean};
use crate::option_name::OptionName;

/// What is known of an input before it is looked at.
#[derive(Debug, Clone)]
pub struct Auto {
    /// Where the URI stands, if the user says that; then it is in a format of named or numbered fields.
    pub fields: Option<Fields>,
    /// What passes through.
    pub keep: Keep,
    /// Whether quotes are more than characters where fields have separators between.
    pub has_quotes: bool,
    /// See [`Delimited::csv`].
    pub longest: usize,
    /// Which records of an archive are rows.
    pub records: RecordTypes,
    /// What lines of comments begin with.
    pub comment: Comment,
    /// Whether inputs are web archives of which an index is made; then, whether the bodies of requests are wanted.
    pub indexes: Option<bool>,
    /// The bases against which bases in documents are resolved.
    pub within: Within,
    /// Columns that the run names beside [`Auto::keep`].
    pub named: Vec<String>,
}

impl Format {
    /// With columns that the run names beside those that are kept: an input without a byte has them, too, where only a
    /// record tells the fields.
    pub(crate) fn naming(mut self, names: Vec<String>) -> Format {
        match &mut self {
            Format::Auto(auto) => auto.named = names,
            Format::Log(log) => log.named = names,
            Format::Delimited(delimited) => delimited.named = names,
            _ => {}
        }
        self
    }
}

impl Auto {
    /// The format of `source`, which begins with `first`. What looks like nothing else is lines of URIs; what looks
    /// like something that is not read is, too, for a user who `force_format`.
    ///
    /// # Errors
    /// Usage, where the format lacks an option or knows no field that is to be kept, and where the input looks like
    /// something that is not read.
    pub(in crate::read) fn settle(&self, first: &[u8], source: &str, force_format: bool) -> Result<Format> {
        if let Some(posts) = self.indexes {
            return self.settle_archive(first, source).map(|format| format.indexing(posts));
        }
        if self.comment.is_none() {
            return self.settle_records(first, source, force_format);
        }
        match self.settle_records(&self.comment.removed(first), source, force_format)? {
            Format::Lines => Ok(Format::lines(self.comment.clone())),
            Format::Delimited(format) => Ok(Format::Delimited(format.with_comments(self.comment.clone()))),
            other => Err(Error::usage(format!(
                "{} is for lines, CSV and TSV, and {source} looks like {}: drop it",
                OptionName::Comment.named(),
                other.name()
            ))),
        }
    }

    fn settle_archive(&self, first: &[u8], source: &str) -> Result<Format> {
        match detect::framed(first) {
            _ if first.trim_ascii_start().starts_with(MAGIC) => {
                Ok(Format::Warc(Warc::new(&self.keep, self.longest)?))
            }
            Some(name @ "arc") => Ok(Format::Framed(Box::new(Framed::new(name, &self.keep, self.longest)?))),
            // An archive without records.
            _ if first.is_empty() => Ok(Format::Warc(Warc::new(&self.keep, self.longest)?)),
            _ => Err(Error::usage(format!(
                "{source} does not look like a web archive: check it, or say {}",
                OptionName::Format.with_any(&["warc", "arc"])
            ))),
        }
    }

    /// The format where no input has a byte: that of lists, or one that has the fields that the run names.
    fn settle_empty(&self) -> Result<Format> {
        let (Keep::Names(names) | Keep::AllWith(names)) = &self.keep else {
            return self.of_names(self.named.clone());
        };
        self.of_names(names.iter().chain(&self.named).cloned().collect())
    }

    fn of_names(&self, mut names: Vec<String>) -> Result<Format> {
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        if names.is_empty() {
            return Ok(Format::lines(self.comment.clone()));
        }
        let keep = Keep::Names(names);
        let known = Clf::new(&keep).map(Format::Clf);
        let known = known.or_else(|_| Heritrix::new(&keep).map(Format::Heritrix));
        let known = known.or_else(|_| Cdx::new(&keep).map(Format::Cdx));
        let known = known.or_else(|_| Cdxj::new(&keep).map(Format::Cdxj));
        // The type of another field is unknown, and text holds any.
        known.or_else(|_| Jsonl::new("", None, &keep).map(Format::Jsonl))
    }

    fn settle_records(&self, first: &[u8], source: &str, force_format: bool) -> Result<Format> {
        if first.is_empty() && self.fields.is_none() {
            return self.settle_empty();
        }
        let refuse = |found: Option<detect::Foreign>| match found.filter(|_| !force_format) {
            Some(foreign) => Err(foreign.refuse(source)),
            None => Ok(()),
        };
        if let Some(kind) = kind_of(first) {
            let (uri, base) = self.fields.clone().map(|fields| (fields.uri, fields.base)).unzip();
            let fields = Box::new(TableFields { uri, base: base.flatten(), keep: self.keep.clone() });
            return Ok(match kind {
                TableKind::Parquet => Format::Parquet(fields),
                TableKind::Arrow => Format::Arrow(fields),
            });
        }
        // What stands in its blocks may be no text.
        if self.fields.is_none() && first.trim_ascii_start().starts_with(MAGIC) {
            let format = if wat::begins(first) { Warc::wat } else { Warc::new };
            let format = format(&self.keep, self.longest)?;
            return Ok(Format::Warc(format.only(self.records.clone())));
        }
        if self.fields.is_none()
            && let Some(name) = detect::framed(first)
        {
            return Framed::new(name, &self.keep, self.longest)
                .map(|format| Format::Framed(Box::new(format.within(self.within.clone()))));
        }
        refuse(detect::no_text(first))?;
        if let Some(fields) = self.fields.as_ref().filter(|_| detect::is_array(first)) {
            let items = Framed::items(json_lines(fields, &self.keep)?, self.longest);
            return Ok(Format::Framed(Box::new(items)));
        }
        let template = self.fields.as_ref().and_then(|fields| fields.uri.template());
        if (self.fields.is_none() || template.is_some())
            && looks_like(first).is_none_or(|name| name == "clf")
            && let Some(detected) =
                log::detect(first).filter(|detected| template.is_some() || !detected.is_bare_clf())
        {
            let log = Log::detected(detected, &self.keep, template.cloned(), (first, source))?;
            return Ok(Format::Log(Box::new(log)));
        }
        refuse(detect::document(first))?;
        let lines = || {
            first.split(|&b| b == b'\n').map(first_lines::trim).filter(|line| !line.is_empty()).take(LINES)
        };
        // Only the beginning of a long line is here.
        let is_cut = !first.contains(&b'\n');
        let begins = |line: &[u8]| {
            line.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""))
        };
        let is_object =
            |line: &[u8]| line.starts_with(b"{") && line.ends_with(b"}") || is_cut && begins(line);
        if let Some(fields) = &self.fields {
            let first = lines().next().unwrap_or_default().trim_ascii();
            if is_object(first) {
                return json_lines(fields, &self.keep).map(Format::Jsonl);
            }
            let format = if first.contains(&b'\t') { Delimited::tsv } else { Delimited::csv };
            let format = format(fields.clone(), self.longest)?.keeping(&self.keep)?;
            let format = if self.has_quotes { format } else { format.without_quotes() };
            return Ok(Format::Delimited(format).naming(self.named.clone()));
        }
        Ok(match looks_like(first) {
            Some("heritrix") => Format::Heritrix(Heritrix::new(&self.keep)?),
            Some("cdxj") => Format::Cdxj(Cdxj::new(&self.keep)?),
            Some("cdx") => Format::Cdx(Cdx::new(&self.keep)?),
            Some("clf") => Format::Clf(Clf::new(&self.keep)?),
            Some("robots") => Format::CrawlList(CrawlList::robots(&self.keep)?),
            Some("seeds") => Format::CrawlList(CrawlList::seeds(&self.keep)?),
            _ => {
                refuse(detect::no_list(first))?;
                match &self.keep {
                    Keep::Names(names) | Keep::AllWith(names) => {
                        let name = names.first().map_or("", String::as_str);
                        let columns: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
                        return Err(Error::usage(format!(
                            "there is no field {name:?}{}: {source} looks like a list of URIs, which has no \
                             fields; columns are {}",
                            did_you_mean(name, columns.iter().copied()),
                            columns.join(", ")
                        )));
                    }
                    Keep::All | Keep::AllWithOptional(_) | Keep::AnyOf(_) | Keep::None => Format::Lines,
                }
            }
        })
    }
}

/// JSON Lines with the fields that a user named.
///
/// # Errors
/// The same as [`Jsonl::new`].
pub(in crate::read) fn json_lines(fields: &Fields, keep: &Keep) -> Result<Jsonl> {
    Jsonl::of(fields.uri.clone(), fields.base.as_ref().map(Field::name).as_deref(), keep)
}
