//! The logs of web servers as a format: bare lines, which `clf` reads; or lines after a prefix, which a [`Log`] does.

use super::Log;
use super::detect::fits;
use crate::batch::{ExtraColumns, Records};
use crate::error::Result;
use crate::read::format::clf;
use crate::read::format::clf::Clf;
use crate::read::format::first_lines::lines;
use crate::read::format::framing::ChunkText;
use crate::read::format::input_format::{InputFormat, Sure};
use crate::read::format::line_end;
use crate::read::format::{Beginning, First, Format, RecordFormat, Stop};

/// The row of the format. A template may make the URIs of its lines, as of those of any log.
pub(in crate::read::format) const ROW: InputFormat = InputFormat {
    name: "clf",
    meaning: "Common or Combined Log Format of web servers, with or without virtual hosts: the target of the request, \
              against the base or the virtual host",
    fields: clf::KNOWN,
    detect: |first| Sure::by_lines(first, |line| clf::is_line(&line[..line_end(line, 0, line.len())])),
    reader: |format, asked| match asked.template() {
        Some(_) => super::reader(format, asked),
        None => Ok(Clf { chosen: format.selected(asked)?, keep: asked.keep.clone() }.into()),
    },
    ..super::ROW
};

impl RecordFormat for Clf {
    fn name(&self) -> &'static str {
        "clf"
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn begin(&mut self, beginning: &mut dyn Beginning) -> Result<Option<Format>> {
        let First { bytes, source, .. } = beginning.first()?;
        let Some(detected) = fits("clf", bytes) else { return Ok(None) };
        Ok(Some(Log::detected(detected, &self.keep, None, (bytes, &source))?.into()))
    }

    fn find(&self, chunk: &ChunkText<'_>, place: (usize, usize), records: &mut Records) -> usize {
        chunk.log_until(self.read(chunk.text(), place, records), records)
    }

    fn stop(&self, first: &[u8]) -> Option<Stop> {
        lines(first).find_map(clf::stop)
    }
}
