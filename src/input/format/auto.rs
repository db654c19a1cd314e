//! Which format an input is in, by its first bytes or lines.

use super::cdx::{self, Cdx};
use super::cdx_json;
use super::cdxj::{self, Cdxj};
use super::clf::{self, Clf};
use super::comment::Comment;
use super::detect::{self, LINES, has_scheme};
use super::fields::{Field, Fields};
use super::heritrix::Heritrix;
use super::jsonl::Jsonl;
use super::keep::Keep;
use super::log::{self, Log};
use super::record_types::RecordTypes;
use super::robots::{self, CrawlList};
use super::table::{TableFields, TableKind, kind_of};
use super::warc::{MAGIC, Warc};
use super::wat;
use super::words::{begins_with_digits, words};
use super::{Delimited, Format, Framed, line_end};
use crate::batch::Column;
use crate::error::{Error, Result};
use crate::option_name::OptionName;
use crate::simd::Span;

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
}

/// A format that lines can look like.
type Look = (&'static str, fn(&[u8]) -> bool);

/// Those first that say more.
const LOOKS: [Look; 5] = [
    ("heritrix", is_heritrix),
    ("cdxj", is_cdxj),
    ("cdx", is_cdx),
    ("clf", is_clf),
    ("seeds", robots::is_seed),
];

impl Auto {
    /// The format of `source`, which begins with `first`. What looks like nothing else is lines of URIs; what looks
    /// like something that is not read is, too, for a user who `insists`.
    ///
    /// # Errors
    /// Usage, where the format lacks an option or knows no field that is to be kept, and where the input looks like
    /// something that is not read.
    pub(super) fn settle(&self, first: &[u8], source: &str, insists: bool) -> Result<Format> {
        if self.comment.is_none() {
            return self.settle_records(first, source, insists);
        }
        match self.settle_records(&self.comment.removed(first), source, insists)? {
            Format::Lines => Ok(Format::lines(self.comment.clone())),
            Format::Delimited(format) => Ok(Format::Delimited(format.with_comments(self.comment.clone()))),
            other => Err(Error::usage(format!(
                "{} is for lines, CSV and TSV, and {source} looks like {}: drop it",
                OptionName::Comment.named(),
                other.name()
            ))),
        }
    }

    fn settle_records(&self, first: &[u8], source: &str, insists: bool) -> Result<Format> {
        let refuse = |found: Option<detect::Foreign>| match found.filter(|_| !insists) {
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
                .map(|format| Format::Framed(Box::new(format)));
        }
        refuse(detect::no_text(first))?;
        if let Some(fields) = self.fields.as_ref().filter(|_| detect::is_array(first)) {
            let items = Framed::items(json_lines(fields, &self.keep)?, self.longest);
            return Ok(Format::Framed(Box::new(items)));
        }
        let template = self.fields.as_ref().and_then(|fields| fields.uri.template());
        if (self.fields.is_none() || template.is_some())
            && looks_like(first).is_none_or(|name| name == "clf")
            && let Some(told) = log::tell(first).filter(|told| template.is_some() || !told.is_bare_clf())
        {
            let log = Log::told(told, &self.keep, template.cloned(), (first, source))?;
            return Ok(Format::Log(Box::new(log)));
        }
        refuse(detect::document(first))?;
        let lines = || first.split(|&b| b == b'\n').map(trim).filter(|line| !line.is_empty()).take(LINES);
        let is_object = |line: &[u8]| line.starts_with(b"{") && line.ends_with(b"}");
        if let Some(fields) = &self.fields {
            let first = lines().next().unwrap_or_default();
            if is_object(first) {
                return json_lines(fields, &self.keep).map(Format::Jsonl);
            }
            let format = if first.contains(&b'\t') { Delimited::tsv } else { Delimited::csv };
            let format = format(fields.clone(), self.longest)?.keeping(&self.keep)?;
            let format = if self.has_quotes { format } else { format.without_quotes() };
            return Ok(Format::Delimited(format));
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
                        let columns: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
                        return Err(Error::usage(format!(
                            "there is no field {:?}: {source} looks like a list of URIs, which has no \
                             fields; columns are {}",
                            names.first().map_or("", String::as_str),
                            columns.join(", ")
                        )));
                    }
                    Keep::All | Keep::None => Format::Lines,
                }
            }
        })
    }
}

/// The format that more than half of the first lines look like.
pub(super) fn looks_like(first: &[u8]) -> Option<&'static str> {
    if cdx::header(first).is_some() || cdx_json::begins(first) || cdx_json::header(first).is_some() {
        return Some("cdx");
    }
    if let Some(name) = detect::framed(first) {
        return Some(name);
    }
    let lines = || first.split(|&b| b == b'\n').map(trim).filter(|line| !line.is_empty()).take(LINES);
    if lines().next().is_some_and(cdxj::is_object) {
        return Some("cdxj");
    }
    if robots::is_robots(lines()) || lines().next().is_some_and(robots::is_sitemap) {
        return Some("robots");
    }
    let count = |looks: fn(&[u8]) -> bool| lines().filter(|line| looks(line)).count();
    let found = LOOKS.iter().rev().map(|&(name, looks)| (count(looks), name)).max_by_key(|&(count, _)| count);
    found.filter(|&(count, _)| 2 * count > lines().count()).map(|(_, name)| name)
}

/// JSON Lines with the fields that a user named.
///
/// # Errors
/// Those of [`Jsonl::new`].
pub(super) fn json_lines(fields: &Fields, keep: &Keep) -> Result<Jsonl> {
    Jsonl::of(fields.uri.clone(), fields.base.as_ref().map(Field::name).as_deref(), keep)
}

fn trim(line: &[u8]) -> &[u8] {
    &line[..line.len() - usize::from(line.ends_with(b"\r"))]
}

/// The first words of a line, and how many there are.
fn first_words(line: &[u8]) -> ([Span; 16], usize) {
    let mut found = [Span { start: 0, len: 0 }; 16];
    let count = words(line, 0, &mut found).words;
    (found, count)
}

fn text(line: &[u8], word: Span) -> &[u8] {
    &line[word.start as usize..][..word.len as usize]
}

fn is_number(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    word == b"-" || !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn is_heritrix(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    count >= 10
        && begins_with_digits(line, words[0], 4)
        && is_number(text(line, words[1]))
        && is_number(text(line, words[2]))
        && has_scheme(text(line, words[3]))
}

fn is_cdxj(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    count >= 3 && begins_with_digits(line, words[1], 14) && text(line, words[2]).starts_with(b"{")
}

fn is_cdx(line: &[u8]) -> bool {
    let (words, count) = first_words(line);
    matches!(count, 7 | 9..=11) && words[1].len == 14 && begins_with_digits(line, words[1], 14)
}

fn is_clf(line: &[u8]) -> bool {
    clf::is_line(&line[..line_end(line, 0, line.len())])
}
