//! Components to columns: the second loop over a batch. A column that was not asked for is not made.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow::error::ArrowError;
use twox_hash::XxHash3_64;

use super::Origin;
use super::scan::Rows;
use super::schema::{Column, Columns};
use super::views::{Texts, constants};
use crate::error::{Error, ErrorKind, Result};
use crate::normalize::port_number;
use crate::uri::{Code, HostKind};

/// Makes the columns of a batch.
pub(super) fn batch(rows: &mut Rows, columns: &Columns, origin: Origin<'_>) -> Result<RecordBatch> {
    let texts = Texts::new(rows);
    let arrays = columns.iter().map(|column| array(column, rows, &texts, origin)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.splits.len()));
    RecordBatch::try_new_with_options(columns.schema(), arrays, &options).map_err(internal)
}

/// What arrow refuses of arrays that this room made is a defect of this room.
pub(super) fn internal(error: ArrowError) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot make a record batch: {error}"))
}

fn array(column: Column, rows: &Rows, texts: &Texts, origin: Origin<'_>) -> ArrayRef {
    let count = rows.splits.len();
    let s = &rows.splits;
    let (start, scheme_end) = (&s.start[..count], &s.scheme_end[..count]);
    let (host_start, host_end) = (&s.host_start[..count], &s.host_end[..count]);
    let (path_start, path_end) = (&s.path_start[..count], &s.path_end[..count]);
    let (query_end, end) = (&s.query_end[..count], &s.end[..count]);
    let nulls = rows.nulls.as_ref();
    match column {
        Column::Uri => Arc::new(texts.column(rows, |i| (0, end[i]))),
        Column::Scheme => Arc::new(texts.nullable_column(rows, |i| (scheme_end[i] > 0, (0, scheme_end[i])))),
        Column::Host => Arc::new(texts.nullable_column(rows, |i| {
            let has_authority = path_start[i] > after_scheme(scheme_end[i]);
            (has_authority, (host_start[i], host_end[i] - host_start[i]))
        })),
        Column::Path if rows.rejects.is_empty() => {
            Arc::new(texts.column(rows, |i| (path_start[i], path_end[i] - path_start[i])))
        }
        Column::Path => {
            let accepted = accepted(rows);
            let part = |i: usize| (path_start[i], path_end[i] - path_start[i]);
            Arc::new(texts.nullable_column(rows, |i| (accepted.value(i), part(i))))
        }
        Column::Query => Arc::new(texts.nullable_column(rows, |i| behind(path_end[i], query_end[i]))),
        Column::Fragment => Arc::new(texts.nullable_column(rows, |i| behind(query_end[i], end[i]))),
        // The kernels accept no authority with user information or a port: only rows that had a
        // second look can have one.
        Column::Userinfo => Arc::new(texts.nullable_column(rows, |i| {
            let from = after_scheme(scheme_end[i]) + 2;
            let has_userinfo = host_start[i] > from;
            (has_userinfo, if has_userinfo { (from, host_start[i] - 1 - from) } else { (0, 0) })
        })),
        Column::Port => Arc::new(ports(rows, texts)),
        Column::HostKind => {
            let mut kinds: Vec<Option<u8>> = (0..count)
                .map(|i| (path_start[i] > after_scheme(scheme_end[i])).then_some(HostKind::DnsName as u8))
                .collect();
            for &(row, kind) in &rows.kinds {
                kinds[row as usize] = Some(kind as u8);
            }
            let names = HostKind::ALL.iter().map(|kind| kind.as_str());
            Arc::new(constants(kinds.into_iter(), names, nulls))
        }
        Column::Raw => {
            let utf8 = rows.moved.iter().filter(|moved| moved.is_utf8);
            let (views, valid) =
                texts.sparse(rows, utf8.map(|moved| (moved.row, (moved.raw.start, moved.raw.len))));
            Arc::new(texts.strings(views, Some(valid)))
        }
        Column::RawBytes => {
            let other = rows.moved.iter().filter(|moved| !moved.is_utf8);
            let (views, valid) =
                texts.sparse(rows, other.map(|moved| (moved.row, (moved.raw.start, moved.raw.len))));
            Arc::new(texts.bytes(views, Some(valid)))
        }
        Column::Record => {
            let mut numbers = Vec::with_capacity(count);
            let mut next = origin.first_record;
            // Runs of rows without a blank line among them: a batch may hold more blank lines than rows.
            for to in s.blank.iter().map(|&rows_before| rows_before as usize).chain([count]) {
                let run = (to - numbers.len()) as i64;
                numbers.extend(next..next + run);
                next += run + 1;
            }
            Arc::new(Int64Array::new(numbers.into(), None))
        }
        Column::Offset => {
            let mut offsets: Vec<i64> =
                start.iter().map(|&at| origin.offset as i64 + i64::from(at)).collect();
            for moved in &rows.moved {
                offsets[moved.row as usize] = origin.offset as i64 + i64::from(moved.raw.start);
            }
            Arc::new(Int64Array::new(offsets.into(), None))
        }
        Column::Flags => {
            let mut flags = vec![0; count];
            for &(row, set) in &rows.flags {
                flags[row as usize] = set.0;
            }
            Arc::new(Int32Array::new(flags.into(), None))
        }
        Column::Error => {
            let mut codes = vec![None; count];
            for &(row, reject) in &rows.rejects {
                codes[row as usize] = Some(reject.code as u8);
            }
            Arc::new(constants(codes.into_iter(), Code::ALL.iter().map(|code| code.as_str()), None))
        }
        Column::ErrorOffset => {
            let listed = rows.rejects.iter().map(|&(row, reject)| (row, reject.offset as i32));
            Arc::new(sparse_integers(count, listed))
        }
        Column::Source => {
            Arc::new(constants((0..count).map(|_| Some(0)), std::iter::once(origin.source), None))
        }
        Column::Fingerprint => {
            let hash = |i: usize| XxHash3_64::oneshot(texts.slice(rows, i, (0, end[i]))) as i64;
            Arc::new(Int64Array::new((0..count).map(hash).collect(), nulls.cloned()))
        }
    }
}

/// [`crate::simd::Split::after_scheme`]
#[inline(always)]
fn after_scheme(scheme_end: u32) -> u32 {
    scheme_end + u32::from(scheme_end > 0)
}

/// What stands behind the delimiter at `from`, if there is one before `to`.
#[inline(always)]
fn behind(from: u32, to: u32) -> (bool, (u32, u32)) {
    let is_there = to > from;
    (is_there, (from + u32::from(is_there), (to - from).saturating_sub(1)))
}

/// A bit a row: whether it is no reject.
fn accepted(rows: &Rows) -> BooleanBuffer {
    let count = rows.splits.len();
    let mut bits = vec![0xffu8; count.div_ceil(8)];
    for &(row, _) in &rows.rejects {
        bits[row as usize / 8] &= !(1 << (row % 8));
    }
    BooleanBuffer::new(bits.into(), 0, count)
}

/// Explicit ports that fit in 16 bits.
fn ports(rows: &Rows, texts: &Texts) -> Int32Array {
    let s = &rows.splits;
    let with_port =
        s.unclear.iter().filter(|&&row| s.host_end[row as usize] + 1 < s.path_start[row as usize]);
    let listed = with_port.filter_map(|&row| {
        let i = row as usize;
        let part = (s.host_end[i] + 1, s.path_start[i] - s.host_end[i] - 1);
        port_number(texts.slice(rows, i, part)).map(|port| (row, i32::from(port)))
    });
    sparse_integers(s.len(), listed)
}

/// A column that is null but in the rows listed.
fn sparse_integers(count: usize, listed: impl Iterator<Item = (u32, i32)>) -> Int32Array {
    let mut values = vec![0; count];
    let mut valid = vec![0u8; count.div_ceil(8)];
    for (row, value) in listed {
        values[row as usize] = value;
        valid[row as usize / 8] |= 1 << (row % 8);
    }
    let nulls = NullBuffer::new(BooleanBuffer::new(valid.into(), 0, count));
    Int32Array::new(ScalarBuffer::from(values), Some(nulls))
}
