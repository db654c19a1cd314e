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
use super::tables::{Table, TableFields, kind_of};
use super::warc::wat;
use super::warc::{MAGIC, Warc};
use super::{Beginning, Delimited, First, Format, Framed, Lines, RecordFormat};
use crate::batch::{Column, Options};
use crate::error::{Error, Result, did_you_mean};
use crate::option_name::OptionName;
use crate::read::decode::wacz::Wanted;

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
        matches!(self.keep, Keep::Names(_)).then(|| Auto { keep: Keep::All, ..self.clone() }.into())
    }

    fn in_wacz(&self) -> Option<Wanted> {
        Some(Wanted::Archives)
    }

    fn has_lines(&self) -> bool {
        false
    }

    fn hold_index(&mut self, posts: bool) {
        self.indexes = Some(posts);
    }

    fn resolve_with(&mut self, options: &Options) {
        self.within = Within::of(options);
    }

    fn name_columns(&mut self, names: &[String]) {
        self.named = names.to_vec();
    }
}

impl Auto {
    /// The format of `source`, which begins with `first`. What looks like nothing else is lines of URIs; what looks
    /// like something that is not read is, too, for a user who `force_format`.
    ///
    /// # Errors
    /// Usage, where the format lacks an option or knows no field that is to be kept, and where the input looks like
    /// something that is not read.
    fn settle(&self, First { bytes: first, source, is_forced, .. }: First<'_>) -> Result<Format> {
        let source = &*source;
        if let Some(posts) = self.indexes {
            let mut format = self.settle_archive(first, source)?;
            format.hold_index(posts);
            return Ok(format);
        }
        if self.comment.is_none() {
            return self.settle_records(first, source, is_forced);
        }
        let found = self.settle_records(&self.comment.removed(first), source, is_forced)?;
        match found.is_lines() || matches!(found.name(), "csv" | "tsv") {
            true => Ok(found),
            false => Err(Error::usage(format!(
                "{} is for lines, CSV and TSV, and {source} looks like {}: drop it",
                OptionName::Comment.named(),
                found.name()
            ))),
        }
    }

    fn settle_archive(&self, first: &[u8], source: &str) -> Result<Format> {
        match detect::framed(first) {
            _ if first.trim_ascii_start().starts_with(MAGIC) => {
                Ok(Warc::new(&self.keep, self.longest)?.into())
            }
            Some(name @ "arc") => Ok(Framed::new(name, &self.keep, self.longest)?.into()),
            // An archive without records.
            _ if first.is_empty() => Ok(Warc::new(&self.keep, self.longest)?.into()),
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
            return Ok(Lines(self.comment.clone()).into());
        }
        let keep = Keep::Names(names);
        let known = Clf::new(&keep).map(Format::from);
        let known = known.or_else(|_| Heritrix::new(&keep).map(Format::from));
        let known = known.or_else(|_| Cdx::new(&keep).map(Format::from));
        let known = known.or_else(|_| Cdxj::new(&keep).map(Format::from));
        // The type of another field is unknown, and text holds any.
        known.or_else(|_| Jsonl::new("", None, &keep).map(Format::from))
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
            let fields = TableFields { uri, base: base.flatten(), keep: self.keep.clone() };
            return Ok(Table::of(kind, fields).into());
        }
        // What stands in its blocks may be no text.
        if self.fields.is_none() && first.trim_ascii_start().starts_with(MAGIC) {
            let format = if wat::begins(first) { Warc::wat } else { Warc::new };
            let format = format(&self.keep, self.longest)?;
            return Ok(format.only(self.records.clone()).into());
        }
        if self.fields.is_none()
            && let Some(name) = detect::framed(first)
        {
            return Ok(Framed::new(name, &self.keep, self.longest)?.within(self.within.clone()).into());
        }
        refuse(detect::no_text(first))?;
        if let Some(fields) = self.fields.as_ref().filter(|_| detect::is_array(first)) {
            return Ok(Framed::items(json_lines(fields, &self.keep)?, self.longest).into());
        }
        let template = self.fields.as_ref().and_then(|fields| fields.uri.template());
        if (self.fields.is_none() || template.is_some())
            && looks_like(first).is_none_or(|name| name == "clf")
            && let Some(detected) =
                log::detect(first).filter(|detected| template.is_some() || !detected.is_bare_clf())
        {
            return Ok(Log::detected(detected, &self.keep, template.cloned(), (first, source))?.into());
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
                return json_lines(fields, &self.keep).map(Format::from);
            }
            let format = if first.contains(&b'\t') { Delimited::tsv } else { Delimited::csv };
            let format = format(fields.clone(), self.longest)?.keeping(&self.keep)?;
            let format = format.with_comments(self.comment.clone());
            let mut format = Format::from(if self.has_quotes { format } else { format.without_quotes() });
            format.name_columns(&self.named);
            return Ok(format);
        }
        Ok(match looks_like(first) {
            Some("heritrix") => Heritrix::new(&self.keep)?.into(),
            Some("cdxj") => Cdxj::new(&self.keep)?.into(),
            Some("cdx") => Cdx::new(&self.keep)?.into(),
            Some("clf") => Clf::new(&self.keep)?.into(),
            Some("robots") => CrawlList::robots(&self.keep)?.into(),
            Some("seeds") => CrawlList::seeds(&self.keep)?.into(),
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
                    Keep::All | Keep::AllWithOptional(_) | Keep::AnyOf(_) | Keep::None => {
                        Lines(self.comment.clone()).into()
                    }
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
