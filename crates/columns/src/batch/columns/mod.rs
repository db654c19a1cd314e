//! Components to columns: the second loop over a batch. Only columns that were asked for are made.

mod base;
mod canonical_forms;
mod domains;
pub(crate) mod extra;
mod names;
mod params;
mod templates;
mod urls;

use std::cell::OnceCell;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, StringViewBuilder};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, SchemaRef};
use twox_hash::XxHash3_64;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_uri::canonical::{Canonical, SurtOptions, SurtWriter};
use urimill_uri::grammar::ip;
use urimill_uri::internal::normalize::port_number;
use urimill_uri::passwords::Hide;
use urimill_uri::simd::{Given, Parts};
use urimill_uri::whatwg::Disagreement;
use urimill_uri::{Code, HostKind};

use canonical_forms::Before;
use domains::Domains;

use super::column::Column;
use super::memory::{Memory, zeros};
use super::slow_path::hide_passwords;
use super::views;
use super::views::{Constants, Part, PartViews, Place, Texts, WrittenTexts};
use super::{Options, Origin};
use crate::batch::rows::Rows;
use crate::traps::Trap;
use params::Written;

/// Free memory for columns, by the width of their values.
#[derive(Debug, Default)]
pub(super) struct Memories {
    pub(super) views: Memory<u128>,
    pub(super) longs: Memory<i64>,
    pub(super) integers: Memory<i32>,
    texts: Memory<u8>,
}

/// Makes the columns of a batch; those of [`ExtraColumns::passthrough`](super::extra::ExtraColumns::passthrough) exist
/// already.
pub(super) fn batch(
    rows: &mut Rows,
    options: &Options,
    schema: &SchemaRef,
    memories: &Memories,
    origin: Origin<'_>,
    passthrough: &[ArrayRef],
) -> Result<RecordBatch> {
    let arena = views::arena(rows, &memories.texts);
    let urls = urls::written(rows, &memories.texts);
    let texts = Texts::new(rows, arena, &memories.views, options.isa);
    let domains = Domains::new(&texts, hosts(rows), options)?;
    let firsts = OnceCell::new();
    let builder = ColumnBuilder { rows, texts, urls, memories, origin, domains, options, firsts };
    let parts: Vec<_> = options.columns.iter().filter_map(|column| builder.part(column)).collect();
    let mut made = builder.texts.parts(&parts).into_iter();
    let mut views = || made.next().expect("columns of parts have been made");
    let mut arrays =
        options.columns.iter().map(|column| builder.array(column, &mut views)).collect::<Result<Vec<_>>>()?;
    let count = rows.splits.len();
    let cells = (&rows.cells[..], rows.unfinished);
    arrays.extend(extra::columns(&options.extra, cells, &rows.buffers, count, memories));
    arrays.extend_from_slice(passthrough);
    if options.hide != Hide::Nothing {
        hide_in_texts(&mut arrays, options)?;
    }
    let counted = RecordBatchOptions::new().with_row_count(Some(count));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &counted).map_err(internal)
}

/// Removes what is to be hidden from columns that do not come from the (already cleaned) reference: fields of the
/// records, invalid bases, and parameters, which are decoded.
fn hide_in_texts(arrays: &mut [ArrayRef], options: &Options) -> Result<()> {
    let own: Vec<Column> = options.columns.iter().collect();
    for (number, array) in arrays.iter_mut().enumerate() {
        if own.get(number).is_none_or(|column| column.is_unclean()) {
            *array = options.hidden(array)?;
        }
    }
    Ok(())
}

impl Options {
    /// A column that passes through beside the references, without the user information that these options hide, also in
    /// lists, structs, maps and dictionaries. Its type stays.
    ///
    /// # Errors
    /// `Internal`, where Arrow refuses the column, which is a defect.
    pub fn hidden(&self, column: &ArrayRef) -> Result<ArrayRef> {
        if self.hide == Hide::Nothing {
            return Ok(column.clone());
        }
        let cleaned = hide_passwords::column(column, self.hide).map_err(internal)?;
        Ok(cleaned.unwrap_or_else(|| column.clone()))
    }
}

/// Arrow refuses only invalid arrays: if it refuses arrays made here, this module has a bug.
pub(super) fn internal(error: ArrowError) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot make a record batch: {error}"))
}

/// The sources of a column.
struct ColumnBuilder<'a> {
    rows: &'a Rows,
    texts: Texts<'a>,
    /// The URLs that were written.
    urls: Option<Buffer>,
    memories: &'a Memories,
    origin: Origin<'a>,
    domains: Domains<'a>,
    options: &'a Options,
    /// See [`templates::firsts`].
    firsts: OnceCell<Vec<u32>>,
}

impl ColumnBuilder<'_> {
    fn firsts(&self) -> &[u32] {
        self.firsts.get_or_init(|| templates::firsts(self.rows, &self.texts))
    }

    /// What a column shows of every row's text, if it is such a column.
    fn part(&self, column: Column) -> Option<Parts<'_>> {
        let (rows, s) = (self.rows, &self.rows.splits);
        Some(match column {
            Column::Uri => part(rows, None, &s.end, Given::NotEmpty),
            Column::Scheme => part(rows, None, &s.scheme_end, Given::NotEmpty),
            Column::Host => part(rows, Some(&s.host_start), &s.host_end, Given::After(&s.scheme_end)),
            Column::Path => part(rows, Some(&s.path_start), &s.path_end, Given::NotEmpty),
            Column::Query => part(rows, Some(&s.path_end), &s.query_end, Given::Behind),
            Column::Fragment => part(rows, Some(&s.query_end), &s.end, Given::Behind),
            _ => return None,
        })
    }

    /// A column; one that has a [`part`](Self::part) takes its views from `views`.
    fn array(&self, column: Column, views: &mut impl FnMut() -> PartViews) -> Result<ArrayRef> {
        let (rows, texts, count) = (self.rows, &self.texts, self.rows.splits.len());
        let s = &rows.splits;
        Ok(match column {
            Column::Uri => Arc::new(texts.column(views())),
            Column::Scheme | Column::Host | Column::Query | Column::Fragment => {
                Arc::new(texts.nullable_column(views()))
            }
            Column::Path => self.path(views()),
            Column::Userinfo => self.userinfo(),
            Column::Port => self.ports(),
            Column::HostKind => self.host_kinds(),
            Column::Raw | Column::RawBytes if self.options.hide != Hide::Nothing => self.as_read(column)?,
            Column::Raw => {
                let (views, valid) = texts.sparse(self.rewritten(true));
                Arc::new(texts.strings(views, Some(valid)))
            }
            Column::RawBytes => {
                let (views, valid) = texts.sparse(self.rewritten(false));
                Arc::new(texts.bytes(views, Some(valid)))
            }
            Column::Record => self.records(),
            Column::Offset => self.offsets(),
            Column::Flags => {
                let listed = rows.flags.iter().map(|&(row, set)| (row, set.0));
                Arc::new(Int32Array::new(self.sparse_integers(listed).0, None))
            }
            Column::FlagNames => {
                names::column(count, rows.flags.iter().map(|&(row, flags)| (row, flags.names())))?
            }
            Column::Error => self.errors(),
            Column::ErrorOffset => {
                let listed = rows.rejects.iter().map(|&(row, reject)| (row, reject.offset as i32));
                let (values, valid) = self.sparse_integers(listed);
                Arc::new(Int32Array::new(values, Some(valid)))
            }
            Column::Source => {
                let name = Constants::new(std::iter::once(self.origin.source));
                let everywhere = (0, vec![u64::MAX; count.div_ceil(64)]);
                Arc::new(name.column(&self.memories.views, count, everywhere, std::iter::empty(), None))
            }
            Column::Fingerprint => {
                let hash = |i: usize| XxHash3_64::oneshot(texts.slice(i, (0, s.end[i]))) as i64;
                Arc::new(Int64Array::new(self.longs(hash), rows.nulls.clone()))
            }
            Column::HostAddress => self.host_addresses(),
            Column::HostParts => self.domains.labels()?,
            Column::Surt => {
                let mut keys = SurtWriter::new(SurtOptions::default());
                self.form(|before, written| before.write_surt(&mut keys, written))?
            }
            Column::Canonical => {
                let Options { canonical, drop_params, .. } = self.options;
                self.form(|before, written| {
                    let form =
                        |form: Canonical| written.append(|out| form.write(&before.uri(), drop_params, out));
                    canonical.is_some_and(form)
                })?
            }
            Column::QueryParams => self.params(Written::Decoded)?,
            Column::QueryParamsRaw => self.params(Written::Raw)?,
            Column::PathParams => params::path_column(rows, texts, &self.memories.texts, rows.rfc.spec)?,
            Column::Base => Arc::new(rows.base_texts.column(count, texts, &self.memories.texts)),
            Column::Template => templates::column(rows, texts, self.firsts(), &self.memories.texts)?,
            Column::Trap => {
                let kinds = templates::traps(rows, texts, self.firsts());
                let names = Trap::ALL.iter().map(|trap| trap.as_str());
                let listed = kinds.into_iter().map(|(row, trap)| (row, trap as u8));
                Arc::new(Constants::new(names).sparse(&self.memories.views, count, listed))
            }
            Column::FileType => templates::file_types(rows, texts),
            Column::SchemeEnd => {
                self.positions(&s.scheme_end, bits(&s.scheme_end, &s.scheme_end, |end, _| end > 0))
            }
            Column::HostStart => self.positions(&s.host_start, authorities(rows)),
            Column::HostEnd => self.positions(&s.host_end, authorities(rows)),
            Column::PathStart => self.positions(&s.path_start, rows.accepted().into_inner()),
            Column::PathEnd => self.positions(&s.path_end, rows.accepted().into_inner()),
            Column::QueryEnd => {
                self.positions(&s.query_end, bits(&s.query_end, &s.path_end, |query, path| query > path))
            }
            Column::WhatwgUri => {
                let parts = part(rows, None, &s.end, Given::NotEmpty);
                urls::column((rows, texts), self.urls.as_ref(), &parts, |url| Some((0, url.len)))
            }
            Column::WhatwgHost => {
                let parts = part(rows, Some(&s.host_start), &s.host_end, Given::NotEmpty);
                urls::column((rows, texts), self.urls.as_ref(), &parts, |url| url.host)
            }
            Column::Disagreement => {
                let listed = rows.urls.disagreements.iter();
                names::column(
                    count,
                    listed.map(|&(row, found)| (row, found.iter().map(Disagreement::as_str))),
                )?
            }
            Column::HostAscii
            | Column::HostUnicode
            | Column::HostReversed
            | Column::Tld
            | Column::PublicSuffix
            | Column::RegisteredDomain
            | Column::PrivateSuffix
            | Column::PrivateDomain => self.domains.texts(column),
        })
    }

    fn form(&self, write: impl FnMut(&Before<'_>, &mut WrittenTexts) -> bool) -> Result<ArrayRef> {
        let (rows, texts) = (self.rows, &self.texts);
        Ok(canonical_forms::column((rows, texts), (kinds(rows), rows.rfc.spec), &self.memories.texts, write)?)
    }

    fn params(&self, written: Written) -> Result<ArrayRef> {
        params::column(self.rows, &self.texts, &self.memories.texts, written)
    }

    fn path(&self, views: PartViews) -> ArrayRef {
        let rejects = &self.rows.rejects;
        if rejects.is_empty() {
            return Arc::new(self.texts.column(views));
        }
        let rejected = rejects.iter().map(|&(row, _)| row);
        Arc::new(self.texts.column_without(views, self.rows.accepted(), rejected))
    }

    fn host_kinds(&self) -> ArrayRef {
        let rows = self.rows;
        let names = Constants::new(HostKind::ALL.iter().map(|kind| kind.as_str()));
        let usual = (HostKind::DnsName as u8, authorities(rows));
        let others = rows.kinds.iter().map(|&(row, kind)| (row, kind as u8));
        Arc::new(names.column(&self.memories.views, rows.splits.len(), usual, others, rows.nulls.as_ref()))
    }

    /// The places of the texts as read, for rows that were rewritten.
    fn rewritten(&self, is_utf8: bool) -> impl Iterator<Item = (u32, Place)> {
        let rewritten = self.rows.rewritten.iter().filter(move |rewritten| rewritten.is_utf8 == is_utf8);
        rewritten.map(|rewritten| {
            (rewritten.row, self.texts.read_at(rewritten.row, (rewritten.raw.start, rewritten.raw.len)))
        })
    }

    /// `Raw` or `RawBytes` without what is to be hidden.
    fn as_read(&self, column: Column) -> Result<ArrayRef> {
        let is_utf8 = column == Column::Raw;
        let (own, memory) = ((self.rows, &self.texts), &self.memories.texts);
        let found = hide_passwords::as_read(own, self.rewritten(is_utf8), memory.take(), self.options.hide)?;
        let texts = self.texts.with_written(found.written, memory);
        let (views, valid) = texts.sparse(found.places.into_iter());
        Ok(match is_utf8 {
            true => Arc::new(texts.strings(views, Some(valid))),
            false => Arc::new(texts.bytes(views, Some(valid))),
        })
    }

    /// The kernels accept no user information: only rows of the slow path, or rows that take it from their base, can
    /// have some.
    fn userinfo(&self) -> ArrayRef {
        let s = &self.rows.splits;
        let listed = s.slow_rows.iter().filter_map(|&row| {
            let i = row as usize;
            let from = after_scheme(s.scheme_end[i]) + 2;
            let part = s.host_start[i].checked_sub(1 + from).map(|len| (from, len));
            part.map(|part| (row, self.texts.part_at(row, part)))
        });
        let (views, valid) = self.texts.sparse(listed);
        Arc::new(self.texts.strings(views, Some(valid)))
    }

    /// Explicit ports that fit in 16 bits; as with user information, only rows of the slow path have one.
    fn ports(&self) -> ArrayRef {
        let s = &self.rows.splits;
        let listed = s.slow_rows.iter().filter_map(|&row| {
            let i = row as usize;
            let from = s.host_end[i] + 1;
            let len = s.path_start[i].checked_sub(from)?;
            port_number(self.texts.slice(i, (from, len))).map(|port| (row, i32::from(port)))
        });
        let (values, valid) = self.sparse_integers(listed);
        Arc::new(Int32Array::new(values, Some(valid)))
    }

    /// The kernels accept only names that cannot be taken for an address.
    fn host_addresses(&self) -> ArrayRef {
        let s = &self.rows.splits;
        let listed = s.slow_rows.iter().filter_map(|&row| {
            let i = row as usize;
            let len = s.host_end[i] - s.host_start[i];
            let scheme = self.texts.slice(i, (0, s.scheme_end[i]));
            let host = self.texts.slice(i, (s.host_start[i], len));
            ip::address_in(scheme, host).map(|address| (i, address))
        });
        let mut column = StringViewBuilder::with_capacity(s.len());
        for (i, address) in listed {
            (column.len()..i).for_each(|_| column.append_null());
            column.append_value(address.to_string());
        }
        (column.len()..s.len()).for_each(|_| column.append_null());
        Arc::new(column.finish())
    }

    fn records(&self) -> ArrayRef {
        if !self.rows.numbers.is_empty() {
            return Arc::new(Int64Array::from_iter_values(self.rows.numbers.iter().copied()));
        }
        let blank = &self.rows.splits.blank;
        let first = self.origin.first_record;
        let mut before = 0;
        // A function of the row alone would search the blank lines for each row; they are in order.
        let numbers = self.memories.longs.column(self.rows.splits.len(), |numbers| {
            for (i, number) in numbers.iter_mut().enumerate() {
                while blank.get(before).is_some_and(|&rows_before| rows_before as usize <= i) {
                    before += 1;
                }
                *number = first + (i + before) as i64;
            }
        });
        Arc::new(Int64Array::new(numbers, None))
    }

    fn offsets(&self) -> ArrayRef {
        if !self.rows.offsets.is_empty() {
            return Arc::new(Int64Array::from_iter_values(self.rows.offsets.iter().map(|&at| at as i64)));
        }
        let from = self.origin.offset as i64;
        let is_known = !self.rows.starts.is_empty();
        let start: &[u32] = if is_known { &self.rows.starts } else { &self.rows.splits.start };
        let offsets = self.memories.longs.column(start.len(), |offsets| {
            for (offset, &at) in offsets.iter_mut().zip(start) {
                *offset = from + i64::from(at);
            }
            for rewritten in self.rows.rewritten.iter().filter(|_| !is_known) {
                offsets[rewritten.row as usize] = from + i64::from(rewritten.raw.start);
            }
        });
        Arc::new(Int64Array::new(offsets, None))
    }

    fn errors(&self) -> ArrayRef {
        let rows = self.rows;
        if rows.rejects.is_empty() {
            let (views, valid) = self.texts.sparse(std::iter::empty());
            return Arc::new(self.texts.strings(views, Some(valid)));
        }
        let codes = rows.rejects.iter().map(|&(row, reject)| (row, reject.code as u8));
        let names = Constants::new(Code::ALL.iter().map(|code| code.as_str()));
        Arc::new(names.sparse(&self.memories.views, rows.splits.len(), codes))
    }

    /// Positions in the texts of the rows; null without the component, which `given` has a bit per row for.
    fn positions(&self, values: &[u32], given: impl Into<Buffer>) -> ArrayRef {
        let count = values.len();
        let values = self.memories.integers.column(count, |positions| {
            // An arena and a buffer end within 31 bits.
            positions.iter_mut().zip(values).for_each(|(position, &value)| *position = value as i32);
        });
        let given = NullBuffer::new(BooleanBuffer::new(given.into(), 0, count));
        let nulls = NullBuffer::union(Some(&given), self.rows.nulls.as_ref());
        Arc::new(Int32Array::new(values, nulls.filter(|nulls| nulls.null_count() > 0)))
    }

    fn longs(&self, value: impl Fn(usize) -> i64) -> ScalarBuffer<i64> {
        self.memories.longs.column(self.rows.splits.len(), |values| {
            values.iter_mut().enumerate().for_each(|(i, slot)| *slot = value(i));
        })
    }

    /// Zeros except in the rows listed, and which these are.
    fn sparse_integers(&self, listed: impl Iterator<Item = (u32, i32)>) -> (ScalarBuffer<i32>, NullBuffer) {
        let count = self.rows.splits.len();
        let mut listed = listed.peekable();
        if listed.peek().is_none() {
            let zeros = ScalarBuffer::new(zeros(count * size_of::<i32>()), 0, count);
            return (zeros, NullBuffer::new_null(count));
        }
        let mut valid = vec![0u8; count.div_ceil(8)];
        let values = self.memories.integers.column(count, |values| {
            values.fill(0);
            for (row, value) in listed {
                values[row as usize] = value;
                valid[row as usize / 8] |= 1 << (row % 8);
            }
        });
        (values, NullBuffer::new(BooleanBuffer::new(valid.into(), 0, count)))
    }
}

fn has_authority(rows: &Rows) -> impl Iterator<Item = bool> {
    let s = &rows.splits;
    s.path_start.iter().zip(&s.scheme_end).map(|(&path, &scheme)| path > after_scheme(scheme))
}

/// Which rows have an authority, a bit per row, lowest first.
fn authorities(rows: &Rows) -> Vec<u64> {
    bits(&rows.splits.path_start, &rows.splits.scheme_end, |path, scheme| path > after_scheme(scheme))
}

/// A bit per row, lowest first: what `is` says of two of its positions.
fn bits(one: &[u32], other: &[u32], is: impl Fn(u32, u32) -> bool) -> Vec<u64> {
    one.chunks(64)
        .zip(other.chunks(64))
        .map(|(one, other)| {
            // Bytes first: this loop is vectorized.
            let mut given = [0; 64];
            for ((given, &one), &other) in given.iter_mut().zip(one).zip(other) {
                *given = u8::from(is(one, other));
            }
            given.as_chunks().0.iter().rev().fold(0, |word, &eight| word << 8 | lowest_bits(eight))
        })
        .collect()
}

/// The lowest bits of bytes that have no others, the first one lowest.
fn lowest_bits(bytes: [u8; 8]) -> u64 {
    // Byte `i` is moved to bit `56 + i`, and no two products meet.
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// By row, the kind of its host.
fn kinds(rows: &Rows) -> impl Iterator<Item = Option<HostKind>> {
    let mut patches = rows.kinds.iter().peekable();
    has_authority(rows).enumerate().map(move |(row, has_authority)| {
        match patches.next_if(|(patched, _)| *patched as usize == row) {
            Some(&(_, kind)) => Some(kind),
            None => has_authority.then_some(HostKind::DnsName),
        }
    })
}

/// By row, the place of its host, and its kind.
fn hosts(rows: &Rows) -> impl Iterator<Item = Option<(Part, HostKind)>> {
    let s = &rows.splits;
    let parts = s.host_start.iter().zip(&s.host_end).map(|(&from, &to)| (from, to - from));
    parts.zip(kinds(rows)).map(|(part, kind)| kind.map(|kind| (part, kind)))
}

/// [`urimill_uri::simd::Split::after_scheme`]
#[inline(always)]
fn after_scheme(scheme_end: u32) -> u32 {
    scheme_end + u32::from(scheme_end > 0)
}

/// A part of every row.
fn part<'a>(rows: &'a Rows, from: Option<&'a [u32]>, to: &'a [u32], given: Given<'a>) -> Parts<'a> {
    Parts { start: &rows.splits.start, from, to, given }
}
