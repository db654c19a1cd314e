//! Rows of text formats: finds them in a text that comes in pieces, and splits them into their values.

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memchr2_iter};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;
use urimill_base::error::Result;
use urimill_read::format::quoted_text;
use urimill_write::Format;

use super::value::Value;

/// Finds rows. A line end within quotes does not end a row of CSV.
pub(super) struct Rows {
    quotes: bool,
    is_quoted: bool,
    begun: Vec<u8>,
}

impl Rows {
    pub(super) fn of(format: Format) -> Rows {
        Rows { quotes: matches!(format, Format::Csv | Format::Tsv), is_quoted: false, begun: Vec::new() }
    }

    /// Calls `each` with the rows that end in the next piece, line ends included.
    pub(super) fn push(&mut self, piece: &[u8], each: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut from = 0;
        for at in memchr2_iter(b'\n', if self.quotes { b'"' } else { b'\n' }, piece) {
            if piece[at] == b'"' {
                self.is_quoted = !self.is_quoted;
            } else if !self.is_quoted {
                let end = &piece[from..=at];
                from = at + 1;
                if self.begun.is_empty() {
                    each(end)?;
                } else {
                    self.begun.extend_from_slice(end);
                    each(&self.begun)?;
                    self.begun.clear();
                }
            }
        }
        self.begun.extend_from_slice(&piece[from..]);
        Ok(())
    }

    /// Text after the last line end is a row, too.
    pub(super) fn end(self, each: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.begun.is_empty() { Ok(()) } else { each(&self.begun) }
    }
}

/// Calls `each` with number and value of every field of a row of CSV; an empty one is null, `""` is not. `None` if it
/// is not a row.
pub(super) fn csv_fields<'a>(
    row: &'a [u8],
    separator: u8,
    mut each: impl FnMut(usize, Value<'a>),
) -> Option<()> {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    let mut at = 0;
    for number in 0.. {
        if row.get(at) == Some(&b'"') {
            let (text, end) = quoted_text(row, at, separator)?;
            each(number, Some(text));
            at = end;
        } else {
            let end = memchr(separator, &row[at..]).map_or(row.len(), |len| at + len);
            each(number, (end > at).then(|| Cow::Borrowed(&row[at..end])));
            at = end;
        }
        match row.get(at) {
            None => break,
            Some(&byte) if byte == separator => at += 1,
            Some(_) => return None,
        }
    }
    Some(())
}

/// The members with these `names` of a row of JSON Lines. `None` if it is not an object.
pub(super) fn json_members(row: &[u8], names: &[Option<String>]) -> Option<Vec<Value<'static>>> {
    struct Members<'n>(&'n [Option<String>]);
    impl<'de> Visitor<'de> for Members<'_> {
        type Value = Vec<Value<'static>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = vec![None; self.0.len()];
            while let Some(key) = map.next_key::<Cow<'_, str>>()? {
                let at = self.0.iter().position(|name| name.as_deref() == Some(&*key));
                let Some(at) = at else {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                };
                found[at] = match map.next_value::<Json>()? {
                    Json::Null => None,
                    Json::String(text) => Some(Cow::Owned(text.into_bytes())),
                    other => Some(Cow::Owned(other.to_string().into_bytes())),
                };
            }
            Ok(found)
        }
    }
    let mut reader = serde_json::Deserializer::from_slice(row);
    let found = (&mut reader).deserialize_map(Members(names)).ok()?;
    reader.end().ok().map(|()| found)
}
