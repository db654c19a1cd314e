//! Lines as offsets, or as mere verdicts: the first step of a batch, for programs that need no table.

use urimill_uri::Reject;
use urimill_uri::Standard;
use urimill_uri::internal::{parse_full, parse_full_behind, whatwg};
use urimill_uri::simd;
use urimill_uri::simd::{PADDING, SlowPath, Split, Splits};

use super::MAX_ROWS;
use super::rows::IN_ARENA;
use super::split::AT_ONCE;

/// Offsets in the written URLs have 31 bits.
const MOST_BYTES: usize = 512 << 20;

/// The lines of a text by a specification: the offsets of each line's components, or the reason why it is refused.
///
/// By an RFC a line stays unchanged. By the URL Standard it becomes the serialization of its URL, which for most lines
/// is the line.
///
/// ```
/// use urimill::Standard;
/// use urimill::batch::LineSplits;
/// use urimill::simd::PADDING;
///
/// let mut text = b"http://a.example/b?c\nhttp:\\\\B.example\nhttp://[/\n".to_vec();
/// let len = text.len();
/// // Whole registers are read after the last line.
/// text.resize(len + PADDING, b'\n');
/// let mut lines = LineSplits::new(Standard::Whatwg);
/// assert_eq!(lines.split(&text, (0, len)), len);
/// let (url, split) = lines.get(&text, 1).unwrap();
/// assert_eq!((url, &url[split.host_start as usize..split.host_end as usize]), (&b"http://b.example/"[..], &b"b.example"[..]));
/// assert_eq!(lines.get(&text, 2).unwrap_err().code.as_str(), "IPv6-unclosed");
/// ```
#[derive(Debug)]
pub struct LineSplits {
    standard: Standard,
    splits: Splits,
    /// The URLs that are not their lines.
    written: Vec<u8>,
    /// The lines that are refused, in order.
    rejects: Vec<(u32, Reject)>,
}

impl LineSplits {
    /// Without lines.
    #[must_use]
    pub fn new(standard: Standard) -> LineSplits {
        LineSplits { standard, splits: Splits::default(), written: Vec::new(), rejects: Vec::new() }
    }

    /// Splits the lines of `text[from..to]`, at most [`MAX_ROWS`] of them, and returns the start of the next one. Lines
    /// that were split before are forgotten. Blank lines are skipped.
    ///
    /// # Panics
    /// If [`PADDING`] bytes do not come after `to`, the first of them a newline; if `to` does not fit in 31 bits; if
    /// the lines exceed 512 MiB, since percent-encoding may triple them.
    pub fn split(&mut self, text: &[u8], (from, to): (usize, usize)) -> usize {
        assert!(to - from <= MOST_BYTES, "lines of more than 512 MiB");
        self.splits.clear();
        self.written.clear();
        self.rejects.clear();
        let mut at = from;
        while at < to && self.splits.len() < MAX_ROWS {
            let first = self.splits.len();
            at = self.split_some(text, (at, to), MAX_ROWS - first);
            match self.standard {
                Standard::Rfc(_) => self.parse_slow_lines(text),
                Standard::Whatwg => self.parse_urls(text, first),
            }
        }
        at
    }

    /// The number of lines of `text[from..to]` that are valid by a specification, and the number of lines, without
    /// blank ones. By the URL Standard, lines with a URL without a base are valid.
    ///
    /// # Panics
    /// As [`LineSplits::split`].
    #[must_use]
    pub fn count_valid(standard: Standard, text: &[u8], (from, to): (usize, usize)) -> (u64, u64) {
        assert!(to - from <= MOST_BYTES, "lines of more than 512 MiB");
        let mut unsure = Vec::new();
        let all = simd::list_unsure(text, (from, to), (standard, None), &mut unsure);
        let mut written = Vec::new();
        let refused = unsure.into_iter().filter(|span| {
            let line = &text[span.start as usize..][..span.len as usize];
            written.clear();
            match standard {
                Standard::Rfc(spec) => parse_full(line, spec).is_err(),
                Standard::Whatwg => whatwg::write(line, None, &mut written).is_err(),
            }
        });
        let refused = refused.count();
        ((all - refused) as u64, all as u64)
    }

    /// The number of lines split.
    #[must_use]
    pub fn len(&self) -> usize {
        self.splits.len()
    }

    /// Whether no line was split.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.splits.is_empty()
    }

    /// A line, or its URL, and the offsets of the components in it. `text` is the text that was split.
    ///
    /// # Errors
    /// The reason why the line is refused.
    ///
    /// # Panics
    /// If there are fewer lines.
    pub fn get<'a>(&'a self, text: &'a [u8], line: usize) -> Result<(&'a [u8], Split), Reject> {
        if let Ok(at) = self.rejects.binary_search_by_key(&(line as u32), |&(row, _)| row) {
            return Err(self.rejects[at].1);
        }
        let split = self.splits.get(line);
        let start = self.splits.start[line];
        let of = if start & IN_ARENA == 0 { text } else { &self.written };
        Ok((&of[(start & !IN_ARENA) as usize..][..split.end as usize], split))
    }

    /// Appends the next lines as the kernels split them: at most as many as stay in the processor's caches.
    fn split_some(&mut self, text: &[u8], range: (usize, usize), most: usize) -> usize {
        debug_assert!(range.1 + PADDING <= text.len(), "there is padding");
        let how = (self.standard, None);
        simd::split_lines(text, range, most.min(AT_ONCE), usize::MAX, how, &mut self.splits).at
    }

    /// Parses the lines that the kernels leave to the full parser.
    fn parse_slow_lines(&mut self, text: &[u8]) {
        let splits = &mut self.splits;
        for line in std::mem::take(&mut splits.slow_rows) {
            let (row, start) = (line as usize, splits.start[line as usize]);
            let slow_path = splits.slow_path[row];
            if !slow_path.has(SlowPath::UNSURE) {
                continue;
            }
            let split = splits.get(row);
            let of = &text[start as usize..][..split.end as usize];
            match parse_full_behind(of, &split, slow_path, self.standard.rfc()) {
                Ok((split, _)) => splits.set(row, start, &split),
                Err(reject) => self.rejects.push((line, reject)),
            }
        }
    }

    /// Writes the URLs that differ from their lines.
    fn parse_urls(&mut self, text: &[u8], first: usize) {
        let slow_rows = std::mem::take(&mut self.splits.slow_rows);
        // The kernels may be sure of a relative reference, which has no URL.
        let relative = (first..self.splits.len()).filter(|&row| self.splits.scheme_end[row] == 0);
        let rows: Vec<u32> = match relative.clone().next() {
            None => slow_rows,
            Some(_) => {
                let is_other = |&row: &usize| self.splits.slow_path[row].is_none();
                let mut rows = slow_rows;
                rows.extend(relative.filter(is_other).map(|row| row as u32));
                rows.sort_unstable();
                rows
            }
        };
        for line in rows {
            let row = line as usize;
            let (start, split) = (self.splits.start[row], self.splits.get(row));
            let of = &text[start as usize..][..split.end as usize];
            if whatwg::is_plain(of, &split, self.splits.slow_path[row]) {
                continue;
            }
            let at = self.written.len();
            match whatwg::write(of, None, &mut self.written) {
                Ok(split) => self.splits.set(row, at as u32 | IN_ARENA, &split),
                Err(failure) => self.rejects.push((line, failure.into())),
            }
        }
    }
}
