//! The references in pages, which a conversion can read instead of records with one URI each.

use std::path::Path;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_pages::{PageKind, Pages};
use urimill_read::format::Keep;
use urimill_read::{Encoding, Format};

use super::columns::is_own;
use super::setting::{Setting, Settings};

/// How pages are read, for a [`Conversion`](super::Conversion) with a row for each reference in them, resolved against
/// the base that RFC 3986, 5.1 defines. All other options of the run are those of every conversion.
///
/// ```
/// use urimill::run::{Conversion, Links, Output};
///
/// let folder = tempfile::tempdir()?;
/// let (page, table) = (folder.path().join("page.html"), folder.path().join("links.csv"));
/// std::fs::write(&page, "<base href=/b/><a href='c'>See <i>this</i></a><img src='//h/d'>")?;
/// let stats = Conversion::new()
///     .links(Links::new().base("http://example.com/a"))
///     .inputs([page])
///     .columns(["uri", "base_kind", "element", "text"])
///     .write_to(Output::to(&table))
///     .run()?;
/// let rows = "uri,base_kind,element,text\n\
///     http://example.com/b/,default,base,\n\
///     http://example.com/b/c,content,a,See this\n\
///     http://h/d,content,img,\n";
/// assert_eq!(std::fs::read_to_string(&table)?, rows);
/// let pages = stats.pages.expect("the counts of pages");
/// assert_eq!((pages.pages, pages.links), (1, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing until a run has them"]
#[non_exhaustive]
pub struct Links {
    pub(super) format: PageKind,
    pub(super) base: Option<String>,
    pub(super) encoding: Option<Encoding>,
}

/// The columns of the table by default.
const COLUMNS: [&str; 25] = [
    "page",
    "page_record",
    "base",
    "base_kind",
    "uri",
    "raw",
    "scheme",
    "userinfo",
    "host",
    "host_kind",
    "port",
    "path",
    "query",
    "fragment",
    "element",
    "attribute",
    "rel",
    "text",
    "position",
    "internal",
    "page_flags",
    "flags",
    "error",
    "error_offset",
    "raw_bytes",
];

impl Settings for Links {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Format => {
                self.format = setting.one_of(PageKind::ALL.map(|kind| (kind.name(), kind)))?;
            }
            OptionName::Base => self.base = Some(setting.text()?),
            OptionName::Encoding => self.encoding = Some(setting.parsed()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Links {
    /// The defaults: the beginning of each input determines its format.
    pub fn new() -> Self {
        Links::default()
    }

    /// The format of the inputs.
    pub fn format(self, format: PageKind) -> Self {
        Links { format, ..self }
    }

    /// The base of pages that do not state where they were retrieved from: files, and records of archives without a URI
    /// (RFC 3986, 5.1.4). Without it the base of a file is its `file:` URI, and that of a reader its name, if that is a
    /// URI with an authority; references in other inputs that need a base are not resolved.
    pub fn base(self, base: impl Into<String>) -> Self {
        Links { base: Some(base.into()), ..self }
    }

    /// The encoding of files; overrides the encoding that they declare.
    pub fn encoding(self, encoding: Encoding) -> Self {
        Links { encoding: Some(encoding), ..self }
    }

    /// The reader, whose temporary files go to `temp_dir`.
    pub(super) fn reader(
        &self,
        keep: &Keep,
        options: &batch::Options,
        temp_dir: Option<&Path>,
    ) -> Result<Format> {
        let pages = Pages::new(self.format, keep, self.base.as_deref(), options)?.temp_dir(temp_dir)?;
        Ok(pages.transcoded(self.encoding.is_some()).into())
    }
}

/// The columns of a table, as a list without signs; `list` names them or changes the default.
///
/// Usage, if there is no column of a name.
pub(super) fn columns(list: Option<&str>) -> Result<String> {
    let names: Vec<&str> =
        list.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let bare = |name: &str| name.trim_start_matches(['+', '-']).to_owned();
    let is_known = |name: &str| {
        is_own(name) || name == batch::FIELD_ERRORS || Pages::fields().any(|(own, ..)| own == name)
    };
    if let Some(name) = names.iter().map(|name| bare(name)).find(|name| !is_known(name)) {
        let fields = Pages::fields().map(|(name, ..)| name).collect::<Vec<_>>().join(", ");
        return Err(super::columns::no_column(&name, &format!(", or a field of pages: {fields}")));
    }
    if list.is_some() && !names.iter().any(|name| name.starts_with(['+', '-'])) {
        return Ok(names.join(","));
    }
    let mut found: Vec<String> = COLUMNS.iter().map(|&name| name.to_owned()).collect();
    for name in names {
        let own = bare(name);
        match name.chars().next() {
            Some('+') if found.contains(&own) => {}
            Some('+') => found.push(own),
            Some('-') => found.retain(|other| *other != own),
            _ => {
                return Err(Error::usage(
                    "names with + or - change the default table: use a sign for all names or for none",
                ));
            }
        }
    }
    Ok(found.join(","))
}
