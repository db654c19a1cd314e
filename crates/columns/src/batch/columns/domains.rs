//! The columns about domains: from the hosts of a batch to names, suffixes and parts of them.
//!
//! Hosts come in runs, and occur again soon: recent results are found by a hash of the host. Results are positions: for
//! a host of plain ASCII all of them are parts of the host. Only texts that are not in the host are written: the
//! reversed name, and names that IDNA changed.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use twox_hash::XxHash3_64;
use urimill_base::error::{Error, Result};
use urimill_uri::HostKind;
use urimill_uri::domain::Domain;

use crate::batch::Options;
use crate::batch::column::{Column, label_field};
use crate::batch::rows::check_room;
use crate::batch::schema::Columns;
use crate::batch::views::{Part, Place, Texts};

/// The positions of the texts of a name.
#[derive(Debug, Clone, Copy)]
struct Answer {
    ascii: Place,
    unicode: Place,
    reversed: Place,
    /// The lengths of the parts at the name's end, 0 for none: a name has 255 bytes at most.
    tld: u8,
    public_suffix: u8,
    registered_domain: u8,
    private_suffix: u8,
    private_domain: u8,
}

/// The number of bits of a host's hash that select its slot: few enough for the table to stay in the nearest cache.
const SLOT_BITS: u32 = 10;

/// The domains of a batch.
pub(crate) struct Domains<'a> {
    texts: Texts<'a>,
    /// By row, the number of its host's entry in `answers`, from 1; 0 if it is not a domain.
    numbers: Vec<u32>,
    answers: Vec<Answer>,
}

/// Texts that will be the buffer with this number.
struct Written {
    bytes: Vec<u8>,
    buffer: u32,
}

impl Written {
    fn push(&mut self, text: &str) -> Place {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        (self.buffer, start, text.len() as u32)
    }
}

impl<'a> Domains<'a> {
    /// Looks up the host of every row that has one, if a column needs it.
    ///
    /// # Errors
    /// Usage, if the texts of one batch exceed 2 GiB.
    pub(crate) fn new(
        texts: &Texts<'a>,
        hosts: impl Iterator<Item = Option<(Part, HostKind)>>,
        options: &Options,
    ) -> Result<Self> {
        let (columns, list) = (&options.columns, &options.suffix_list);
        let mut written = Written { bytes: Vec::new(), buffer: texts.buffer_count() };
        if !columns.iter().any(Column::tells_of_domain) {
            return Ok(Domains {
                texts: texts.with(Some(Buffer::from_vec(written.bytes))),
                numbers: Vec::new(),
                answers: Vec::new(),
            });
        }
        let (mut numbers, mut answers) = (Vec::with_capacity(texts.count()), Vec::new());
        // The contents of an empty slot are right for the empty host: it is not a domain.
        let mut seen: Vec<(&[u8], HostKind, u32)> = vec![(b"", HostKind::RegName, 0); 1 << SLOT_BITS];
        for (row, host) in hosts.enumerate() {
            let Some((part, kind)) = host else {
                numbers.push(0);
                continue;
            };
            let host = texts.slice(row, part);
            let slot = &mut seen[(XxHash3_64::oneshot(host) >> (64 - SLOT_BITS)) as usize];
            if (slot.0, slot.1) != (host, kind) {
                let mut number = 0;
                if let Some(domain) = Domain::of(host, kind, list) {
                    check_room(written.bytes.len(), 2 * domain.ascii().len())?;
                    answers.push(answer(&domain, texts.part_at(row as u32, part), columns, &mut written));
                    number = answers.len() as u32;
                }
                *slot = (host, kind, number);
            }
            numbers.push(slot.2);
        }
        Ok(Domains { texts: texts.with(Some(Buffer::from_vec(written.bytes))), numbers, answers })
    }

    /// One of the columns of texts.
    pub(crate) fn texts(&self, column: Column) -> ArrayRef {
        Arc::new(self.texts.chosen(self.answers.iter().map(|answer| answer.text(column)), &self.numbers))
    }

    /// The labels of each name from the right.
    ///
    /// # Errors
    /// Usage, if the labels of one batch are more than 2³¹.
    pub(crate) fn labels(&self) -> Result<ArrayRef> {
        // By name, where its labels begin among all of them.
        let (mut labels, mut starts) = (Vec::new(), vec![0]);
        for answer in &self.answers {
            let (buffer, start, _) = answer.ascii;
            let name = self.texts.text_at(answer.ascii);
            let mut end = name.len();
            for dot in memchr::memrchr_iter(b'.', name).map(Some).chain([None]) {
                let from = dot.map_or(0, |dot| dot + 1);
                labels.push((buffer, start + from as u32, (end - from) as u32));
                end = from.saturating_sub(1);
            }
            starts.push(labels.len());
        }
        let views: Vec<u128> = labels.into_iter().map(|label| self.texts.view_at(label)).collect();
        let (mut values, mut offsets) = (Vec::new(), vec![0]);
        for &number in &self.numbers {
            if let Some(name) = (number as usize).checked_sub(1) {
                values.extend_from_slice(&views[starts[name]..starts[name + 1]]);
            }
            let end = i32::try_from(values.len());
            offsets.push(
                end.map_err(|_| Error::usage("a batch of more than 2³¹ labels of hosts: give it in parts"))?,
            );
        }
        let values = Arc::new(self.texts.strings(ScalarBuffer::from(values), None));
        let nulls: NullBuffer = self.numbers.iter().map(|&number| number > 0).collect();
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
        Ok(Arc::new(ListArray::new(label_field(), offsets, values, nulls)))
    }
}

impl Answer {
    /// The texts of a column.
    fn text(&self, column: Column) -> Option<Place> {
        let len = match column {
            Column::HostAscii => return Some(self.ascii),
            Column::HostUnicode => return Some(self.unicode),
            Column::HostReversed => return Some(self.reversed),
            Column::Tld => self.tld,
            Column::PublicSuffix => self.public_suffix,
            Column::RegisteredDomain => self.registered_domain,
            Column::PrivateSuffix => self.private_suffix,
            Column::PrivateDomain => self.private_domain,
            _ => 0,
        };
        let (len, (buffer, start, whole)) = (u32::from(len), self.ascii);
        (len > 0).then_some((buffer, start + whole - len, len))
    }
}

/// The positions of a domain whose host is at `host`; texts that are not in the host are written if a column needs
/// them.
fn answer(domain: &Domain<'_>, host: Place, columns: &Columns, written: &mut Written) -> Answer {
    let name = domain.ascii();
    let ascii = if domain.is_in_host() { (host.0, host.1, name.len() as u32) } else { written.push(name) };
    let unicode = if columns.contains(Column::HostUnicode) { domain.unicode() } else { Cow::Borrowed(name) };
    let unicode = match unicode {
        Cow::Borrowed(_) => ascii,
        Cow::Owned(name) => written.push(&name),
    };
    let reversed =
        if columns.contains(Column::HostReversed) { written.push(&domain.reversed()) } else { ascii };
    let len = |part: Option<&str>| part.map_or(0, |part| part.len() as u8);
    Answer {
        ascii,
        unicode,
        reversed,
        tld: len(Some(domain.tld())),
        public_suffix: len(domain.public_suffix()),
        registered_domain: len(domain.registered_domain()),
        private_suffix: len(domain.private_suffix()),
        private_domain: len(domain.private_domain()),
    }
}
