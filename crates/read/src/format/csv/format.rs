//! The answers of CSV and TSV to the chunker and the workers.

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{ExtraColumns, Records};

use super::Delimited;
use super::resume::Resumed;
use crate::format::fields::{Field, Layout};
use crate::format::format_row::{FIELDS, FormatRow, MADE, ROWS};
use crate::format::framing::ChunkText;
use crate::format::keep::Keep;
use crate::format::{Asked, Beginning, Behind, Cut, First, Format, RecordFormat, beginning, quotes};

/// The row of CSV.
pub const CSV: FormatRow = FormatRow {
    name: "csv",
    meaning: "Fields separated by commas, quoted as in RFC 4180",
    takes: &[FIELDS, MADE, ROWS, &[OptionName::Comment, OptionName::Delimiter]],
    needs_uri: true,
    reader: |format, asked| Delimited::asked(asked.separator.unwrap_or(b','), format, asked),
    ..FormatRow::TEXT
};

/// The row of TSV.
pub const TSV: FormatRow = FormatRow {
    name: "tsv",
    meaning: "Fields separated by tabs, quoted as in csv",
    takes: &[FIELDS, MADE, ROWS, &[OptionName::Comment]],
    reader: |format, asked| Delimited::asked(b'\t', format, asked),
    ..CSV
};

impl Delimited {
    fn asked(separator: u8, format: &FormatRow, asked: &Asked) -> Result<Format> {
        let (fields, keep) = (format.named(asked)?, asked.keep.clone());
        fields.check()?;
        if let Keep::Names(names) = &keep {
            for name in names.iter().filter(|name| !fields.uri.makes(name)) {
                if matches!(name.parse()?, Field::Name(_)) && !fields.has_header() {
                    return Err(Error::usage(format!(
                        "without a header no field is called {name:?}: give its number, from 1, or say {}",
                        OptionName::Header.with("yes")
                    )));
                }
            }
        }
        let (comment, named) = (asked.comment.clone(), asked.named.clone());
        let (has_quotes, longest) = (!asked.no_quotes, asked.longest);
        let (wanted, of_request, extra) = Default::default();
        let format = Delimited {
            separator,
            has_quotes,
            fields,
            longest,
            comment,
            keep,
            named,
            wanted,
            of_request,
            extra,
        };
        Ok(format.into())
    }
}

impl RecordFormat for Delimited {
    fn name(&self) -> &'static str {
        if self.separator == b'\t' { "tsv" } else { "csv" }
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.extra.clone()
    }

    fn find(&self, chunk: &ChunkText<'_>, place: (usize, usize), records: &mut Records) -> usize {
        (0..chunk.lines_before_header(place.0)).for_each(|_| records.push_blank());
        self.rows(chunk.layout, chunk.text(), place, records)
    }

    fn cut(&self, bytes: &[u8], _: usize, behind: Behind) -> Option<Cut> {
        quotes::cut(bytes, self.rule(), behind)
    }

    fn begin(&mut self, beginning: &mut dyn Beginning) -> Result<Option<Format>> {
        if self.keep != Keep::None {
            let First { bytes, source, .. } = beginning.first()?;
            self.name_fields(bytes, &source)?;
        }
        Ok(None)
    }

    fn open(&self, first: &[u8], source: &str) -> Result<(Layout, usize)> {
        if !self.has_header() {
            let (begin, _) = self.comment.passed(first, true);
            let fields = self.width(&first[begin..]).0;
            return Ok((Layout { fields, ..self.fields.under(None, self.cells(), source)? }, 0));
        }
        let (begin, comments) = self.comment.passed(first, false);
        let (names, behind) = self.record(&first[begin..]);
        let layout = self.fields.under(Some(&names), self.cells(), source)?;
        let (is_single, fields) = (names.len() == 1, names.len());
        Ok((Layout { is_single, fields, most: fields, comments, ..layout }, begin + behind))
    }

    // Between tabs the number does not matter: no URI holds a tab.
    fn width(&self, beginning: &mut dyn Beginning) -> Result<Option<usize>> {
        if self.has_header() || self.separator == b'\t' {
            return Ok(None);
        }
        let First { bytes, is_whole, .. } = beginning.first()?;
        Ok(Some(self.usual_width(bytes, is_whole)))
    }

    fn has_header(&self) -> bool {
        self.fields.has_header()
    }

    fn has_comments(&self) -> bool {
        !self.comment.is_none()
    }

    fn is_comments(&self, bytes: &[u8]) -> bool {
        self.has_comments() && self.comment.passed(bytes, false).0 == bytes.len()
    }

    fn has_quotes(&self) -> bool {
        self.has_quotes
    }

    fn resume(&self, bytes: &[u8], fields: usize, is_end: bool) -> Resumed {
        self.resumed(bytes, fields, is_end)
    }

    fn field_of_beginning(&self, layout: &Layout, text: &[u8]) -> Option<(Vec<u8>, bool)> {
        beginning::field(beginning::row(text, self.rule()), |bytes, records| {
            self.rows(layout, bytes, (0, 1), records);
        })
    }

    fn is_malformed_without_field(&self) -> bool {
        true
    }
}
