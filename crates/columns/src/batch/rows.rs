//! The rows of a batch as offsets: the kernels and the slow path fill them, and columns are made from them.

use arrow_buffer::{Buffer, NullBuffer};
use urimill_base::error::{Error, Result};
use urimill_uri::audit::Flags;
use urimill_uri::passwords::Hide;
use urimill_uri::simd::{IN_SECOND, PADDING, Span, Splits};
use urimill_uri::{HostKind, Reject};

use super::authorities::Authorities;
use super::base_texts::BaseTexts;
use super::extra::Cell;
use super::pre_normalized::PreNormalized;
use super::reading::RfcOptions;
use super::records::{RecordFault, TargetForm};
use super::urls::Urls;

/// The bit of a row's start that marks a text in the arena.
pub(super) const IN_ARENA: u32 = IN_SECOND;

/// The parts before the paths of some URIs, in lower case and without default ports, and the kernel's result for them.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    /// In the order of the rows.
    pub(super) heads: Vec<LoweredHead>,
    /// The first head whose row has not been validated.
    pub(super) next: usize,
    /// The texts of all heads, followed by the padding that the kernel needs.
    pub(super) text: Vec<u8>,
    /// The position of each head in `text`.
    pub(super) spans: Vec<Span>,
    pub(super) splits: Splits,
    /// Working memory for a head with the text after it.
    pub(super) whole: Vec<u8>,
}

/// Scheme and authority of a URI as they were read.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoweredHead {
    pub(super) row: u32,
    /// The end of the authority.
    pub(super) end: u32,
    /// The length of the default port, with its colon.
    pub(super) port: u32,
    pub(super) has_upper: bool,
}

/// The rows of one batch. Entries of the lists are in the order of their rows, which come first.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Offsets by row; `start` has [`IN_ARENA`] set for texts that were rewritten.
    pub(super) splits: Splits,
    /// The buffers that were read.
    pub(super) buffers: Vec<Buffer>,
    /// By row, the number of its buffer in `buffers`; empty if there is only one.
    pub(super) buffer_of: Vec<u32>,
    /// The texts that were written.
    pub(super) arena: Vec<u8>,
    /// Rows that are null in the input.
    pub(super) nulls: Option<NullBuffer>,
    /// Hosts that are not DNS names.
    pub(super) kinds: Vec<(u32, HostKind)>,
    pub(super) flags: Vec<(u32, Flags)>,
    /// Rows whose path contains a device name in plain letters, if the kernels are sure of their offsets; or may
    /// contain one, if they are not sure of scheme and authority.
    pub(super) devices: Vec<u32>,
    /// Whether these have been searched for: if a column has flags.
    pub(super) devices_are_known: bool,
    pub(super) rejects: Vec<(u32, Reject)>,
    /// The first base without a scheme, and the first outside the grammar.
    pub(super) bad_bases: [Option<Vec<u8>>; 2],
    /// The positions of the texts as read, for rows that are in the arena.
    pub(super) rewritten: Vec<Rewritten>,
    /// The rows before normalization changed them.
    pub(super) pre_normalized: PreNormalized,
    pub(super) base_texts: BaseTexts,
    pub(super) urls: Urls,
    pub(super) authorities: Authorities,
    pub(super) lowered: Lowered,
    /// By row, the start of its record in the chunk; empty if records begin where their texts do.
    pub(super) starts: Vec<u32>,
    /// See [`super::Records`].
    pub(super) offsets: Vec<u64>,
    /// See [`super::Records`].
    pub(super) numbers: Vec<i64>,
    /// See [`super::Records`].
    pub(super) forms: Vec<(u32, TargetForm)>,
    /// Whether rows may have no base although others have one.
    pub(super) are_defaults: bool,
    /// Rows whose records have no reference, and the reason.
    pub(super) record_faults: Vec<(u32, RecordFault)>,
    /// See [`super::Records`].
    pub(super) format_mismatches: Vec<(u32, Span)>,
    /// Whether they are lines of a list.
    pub(super) is_list: bool,
    /// See [`super::Records::pass`].
    pub(super) has_form: bool,
    pub(super) seen: u64,
    /// See [`super::Records::pass_nul_bytes`].
    pub(super) nul_bytes: u64,
    pub(super) cells: Vec<Cell>,
    /// See [`super::Records`].
    pub(super) unfinished: Option<u32>,
    /// See [`super::Records`].
    pub(super) dropped: u64,
    /// Working memory for normal forms.
    pub(super) scratch: Vec<u8>,
    /// How the RFC reads texts.
    pub(super) rfc: RfcOptions,
    /// User information that no row may contain.
    pub(super) hide: Hide,
}

/// A row whose text is not the text as read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rewritten {
    pub(super) row: u32,
    /// The position in the row's buffer.
    pub(super) raw: Span,
    /// Whether the text as read is UTF-8.
    pub(super) is_utf8: bool,
}

/// The most bytes of a text that is written to an arena with U+FFFD for what is not UTF-8.
pub(super) fn most_written(arena: usize) -> usize {
    (i32::MAX as usize - PADDING).saturating_sub(arena) / 3
}

/// Percent-encoding at most triples a text; offsets in the arena are as wide as in a buffer.
pub(super) fn check_room(arena: usize, more: usize) -> Result<()> {
    if arena + 3 * more + PADDING > i32::MAX as usize {
        return Err(Error::usage("a batch of more than 2 GiB of changed URIs: give it in parts"));
    }
    Ok(())
}
