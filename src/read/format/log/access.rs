//! The logs of web servers as a format: bare lines, which `clf` reads; or lines after a prefix, which a [`Log`] does.

use super::Log;
use super::detect::fits;
use crate::batch::{ExtraColumns, Records};
use crate::error::Result;
use crate::read::format::clf;
use crate::read::format::first_lines::lines;
use crate::read::format::framing::ChunkText;
use crate::read::format::{Beginning, Clf, First, Format, RecordFormat, Stop};

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
