//! Records into the rows of a batch: the kernels split them in place, whichever reader found them; then comes the slow
//! path (`slow_path`).

use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer};
use urimill_base::error::Result;
use urimill_base::timing;
use urimill_base::timing::Step;
use urimill_uri::simd;
use urimill_uri::simd::{PADDING, SlowPath, Span, Split};

use super::OddRows;
use super::Options;
use super::bases::Bases;
use super::places::{LONGEST_TEXT, Places};
use super::records::{RecordFault, Records};
use crate::batch::rows::Rows;

/// The number of lines split before they are examined again, while they are in the processor's caches.
pub(super) const AT_ONCE: usize = 2_048;

impl Rows {
    /// The lines of `buffer[from..to]`, at most [`Options::most_rows`]; returns the start of the next one.
    pub(super) fn lines(
        &mut self,
        buffer: &Buffer,
        range: (usize, usize),
        bases: &mut Bases,
        options: &Options,
    ) -> Result<usize> {
        self.clear();
        self.is_list = true;
        self.buffers.push(buffer.clone());
        let how = (options.reading.standard(), options.isa);
        let (mut at, to) = range;
        let left = |rows: &Self| options.most_rows() - rows.splits.len();
        let is_by_block = self.has_slow_rows_alone(options);
        while at < to && left(self) > 0 {
            let (from, most) = (self.splits.len(), left(self).min(AT_ONCE));
            let (listed, devices) = (self.splits.slow_rows.len(), self.devices.len());
            at = simd::split_lines(buffer, (at, to), most, options.max_record, how, &mut self.splits).at;
            self.blank_white_lines(listed);
            self.find_devices(from, true, options);
            self.look_at_devices(devices);
            if is_by_block {
                let _slow_path = timing::step(Step::SlowPath);
                self.validate_slow_rows((from, listed), options)?;
            }
        }
        match is_by_block {
            true => self.flag_devices(),
            false => self.validate_batch(bases, None, options)?,
        }
        Ok(at)
    }

    /// The number of lines, with blank ones.
    pub(super) fn lines_read(&self) -> u64 {
        (self.splits.len() + self.splits.blank.len()) as u64
    }

    /// Makes blank lines of those that are white space alone: they are among the slow rows from this one on.
    fn blank_white_lines(&mut self, from: usize) {
        let (splits, bytes) = (&self.splits, self.buffers[0].as_slice());
        let is_white = |&&row: &&u32| {
            let (start, len) = (splits.start[row as usize] as usize, splits.end[row as usize] as usize);
            bytes[start].is_ascii_whitespace() && bytes[start..start + len].trim_ascii().is_empty()
        };
        let white: Vec<u32> = splits.slow_rows[from..].iter().filter(is_white).copied().collect();
        if !white.is_empty() {
            self.splits.blank(&white);
        }
    }

    /// One record, whose beginning is `buffer[..to]`.
    pub(super) fn overlong(&mut self, buffer: &Buffer, to: usize, options: &Options) -> Result<()> {
        self.clear();
        self.buffers.push(buffer.clone());
        let split = Split { end: to as u32, ..Split::default() };
        self.splits.push(0, &split, SlowPath(SlowPath::LONG));
        self.validate_slow_rows((0, 0), options)
    }

    /// The values of an array, and those of another as their bases.
    pub(super) fn values(
        &mut self,
        (places, own): (&Places, Option<&Places>),
        nulls: Option<NullBuffer>,
        odd: OddRows,
        bases: &mut Bases,
        options: &Options,
    ) -> Result<()> {
        self.clear();
        self.nulls = nulls;
        // From the one length on `places` has only the beginning of a text.
        self.spans(places, options.max_record.min(LONGEST_TEXT - 1), options);
        self.record_faults.extend(odd.malformed.iter().map(|&(row, at)| (row, RecordFault::Malformed(at))));
        self.forms = odd.targets;
        self.look_at_odd();
        self.find_devices(0, false, options);
        self.look_at_devices(0);
        self.validate_batch(bases, own, options)
    }

    /// The records that a format's reader found; moves the vectors that the rows need out of `records`.
    pub(super) fn records(
        &mut self,
        records: &mut Records,
        bases: &mut Bases,
        options: &Options,
    ) -> Result<()> {
        self.clear();
        self.spans(&records.references, options.max_record, options);
        std::mem::swap(&mut self.starts, &mut records.starts);
        std::mem::swap(&mut self.offsets, &mut records.offsets);
        std::mem::swap(&mut self.numbers, &mut records.numbers);
        std::mem::swap(&mut self.record_faults, &mut records.record_faults);
        std::mem::swap(&mut self.splits.blank, &mut records.blank);
        std::mem::swap(&mut self.cells, &mut records.cells);
        std::mem::swap(&mut self.format_mismatches, &mut records.format_mismatches);
        self.seen = records.seen;
        self.nul_bytes = records.nul_bytes;
        (self.unfinished, self.dropped) = (records.unfinished, records.dropped);
        self.has_form = records.has_form;
        self.is_list = records.is_list;
        if !records.nulls.is_empty() {
            let mut valid = BooleanBufferBuilder::new(self.splits.len());
            valid.append_n(self.splits.len(), true);
            records.nulls.iter().for_each(|&row| valid.set_bit(row as usize, false));
            self.nulls = Some(NullBuffer::new(valid.finish()));
        }
        std::mem::swap(&mut self.forms, &mut records.forms);
        self.look_at_odd();
        self.are_defaults = records.are_defaults;
        let count = !records.are_defaults || records.go_first || options.base.is_none();
        let own = Some(&records.bases).filter(|bases| count && !bases.spans.is_empty());
        self.find_devices(0, false, options);
        self.look_at_devices(0);
        self.validate_batch(bases, own, options)
    }

    /// Marks rows that are not references as written for the slow path, whatever the kernel found.
    pub(super) fn look_at_odd(&mut self) {
        let short = self.record_faults.iter().map(|&(row, _)| row);
        for row in short.chain(self.forms.iter().map(|&(row, _)| row)) {
            self.splits.slow_path[row as usize].0 |= SlowPath::INVALID;
        }
        if !self.record_faults.is_empty() || !self.forms.is_empty() {
            let rows = 0..self.splits.len() as u32;
            self.splits.slow_rows =
                rows.filter(|&row| !self.splits.slow_path[row as usize].is_none()).collect();
        }
    }

    /// Splits texts by position; those longer than `longest` are too long.
    fn spans(&mut self, places: &Places, longest: usize, options: &Options) {
        self.buffers.clone_from(&places.buffers);
        let how = (options.reading.standard(), options.isa);
        let mut from = 0;
        for &(buffer, to) in &places.runs {
            let bytes = self.buffers[buffer as usize].as_slice();
            let has_padding = |span: &Span| (span.start + span.len) as usize + PADDING <= bytes.len();
            // If an array ends without padding, its last values are split one by one.
            for part in places.spans[from..to].chunk_by(|a, b| has_padding(a) == has_padding(b)) {
                if has_padding(&part[0]) {
                    simd::split_spans(bytes, part, longest, how, &mut self.splits);
                } else {
                    for span in part {
                        let text = &bytes[span.start as usize..][..span.len as usize];
                        let (split, slow_path) = simd::split_one(text, how);
                        let long = if text.len() > longest { SlowPath::LONG } else { 0 };
                        self.splits.push(span.start, &split, SlowPath(slow_path.0 | long));
                    }
                }
            }
            if self.buffers.len() > 1 {
                self.buffer_of.resize(to, buffer);
            }
            from = to;
        }
    }

    fn clear(&mut self) {
        self.splits.clear();
        self.starts.clear();
        self.offsets.clear();
        self.numbers.clear();
        self.record_faults.clear();
        self.forms.clear();
        self.are_defaults = false;
        self.cells.clear();
        (self.unfinished, self.dropped) = (None, 0);
        self.format_mismatches.clear();
        self.buffers.clear();
        self.buffer_of.clear();
        self.arena.clear();
        self.nulls = None;
        self.seen = 0;
        self.nul_bytes = 0;
        self.has_form = false;
        self.is_list = false;
        self.kinds.clear();
        self.flags.clear();
        self.devices.clear();
        self.devices_are_known = false;
        self.rejects.clear();
        self.rewritten.clear();
        self.pre_normalized.clear();
        self.base_texts.clear();
        self.urls.clear();
    }
}
