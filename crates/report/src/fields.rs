//! The fields of records: which columns a report uses, and their values as texts, numbers and times.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMillisecondType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringViewArray, TimestampMillisecondArray,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::zip::zip;

use super::moments;

/// Fields with several names for the same meaning: the first that a record has counts.
pub(super) const TIME: [&str; 5] = ["time", "warc_date", "timestamp", "fetch_time", "date"];
pub(super) const STATUS: [&str; 4] = ["status", "http_status", "fetch_status", "status_code"];
pub(super) const SIZE: [&str; 5] = ["size", "content_length", "length", "record_length", "bytes"];
pub(super) const MICROS: [&str; 2] = ["duration_us", "request_us"];
pub(super) const MILLIS: [&str; 1] = ["fetch_ms"];
pub(super) const METHOD: [&str; 1] = ["method"];
pub(super) const PROTOCOL: [&str; 1] = ["protocol"];
pub(super) const MEDIA: [&str; 5] =
    ["mime_detected", "mime", "payload_type", "warc_identified_payload_type", "content_type"];
pub(super) const DIGEST: [&str; 4] = ["digest", "warc_payload_digest", "content_digest", "signature"];
pub(super) const HOP_PATH: [&str; 1] = ["hop_path"];
pub(super) const CLIENT: [&str; 2] = ["client", "remote_client"];
pub(super) const REFERER: [&str; 2] = ["referer", "referrer"];
pub(super) const AGENT: [&str; 1] = ["user_agent"];
/// The target of a redirect: a reference.
pub(super) const TARGET: [&str; 3] = ["redirect", "fetch_redirect", "location"];
/// The URI that a crawler came from.
pub(super) const VIA: &str = "via";
/// Records of Nutch's CrawlDb have it next to their status.
pub(super) const STATUS_NAME: &str = "status_name";

/// The names of the fields that a report reads besides the URI, in any table or log.
pub fn fields() -> Vec<String> {
    let names: [&[&str]; 16] = [
        &TIME,
        &STATUS,
        &SIZE,
        &MICROS,
        &MILLIS,
        &METHOD,
        &PROTOCOL,
        &MEDIA,
        &DIGEST,
        &HOP_PATH,
        &CLIENT,
        &REFERER,
        &AGENT,
        &TARGET,
        &[VIA],
        &[STATUS_NAME],
    ];
    names.into_iter().flatten().map(|name| (*name).to_owned()).collect()
}

fn column(batch: &RecordBatch, names: &[&str], to: &DataType) -> Option<ArrayRef> {
    all(batch, names, |found| cast(found, to))
}

/// The values of the first of these columns that has a value in a row.
fn all(
    batch: &RecordBatch,
    names: &[&str],
    values: impl Fn(&ArrayRef) -> Option<ArrayRef>,
) -> Option<ArrayRef> {
    let mut columns = names.iter().filter_map(|name| batch.column_by_name(name)).filter_map(values);
    let first = columns.next()?;
    columns.try_fold(first, or_else)
}

/// A column converted to another type; values that the type does not have become null.
fn cast(found: &ArrayRef, to: &DataType) -> Option<ArrayRef> {
    if found.data_type() == to {
        return Some(Arc::clone(found));
    }
    cast_with_options(found, to, &CastOptions { safe: true, ..CastOptions::default() }).ok()
}

/// The values of one column, and of the other where the first is null.
fn or_else(one: ArrayRef, other: ArrayRef) -> Option<ArrayRef> {
    match one.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Some(one),
        Some(nulls) if nulls.null_count() == one.len() => Some(other),
        Some(_) if other.null_count() == other.len() => Some(one),
        Some(nulls) => zip(&BooleanArray::new(nulls.inner().clone(), None), &one, &other).ok(),
    }
}

pub(super) fn texts(batch: &RecordBatch, names: &[&str]) -> Option<StringViewArray> {
    column(batch, names, &DataType::Utf8View).map(|array| array.as_string_view().clone())
}

pub(super) fn numbers(batch: &RecordBatch, names: &[&str]) -> Option<Int64Array> {
    column(batch, names, &DataType::Int64).map(|array| array.as_primitive::<Int64Type>().clone())
}

pub(super) fn times(batch: &RecordBatch, names: &[&str]) -> Option<TimestampMillisecondArray> {
    // As an offset: Arrow finds the name UTC in texts only if it has a table of zones.
    let to = DataType::Timestamp(TimeUnit::Millisecond, Some("+00:00".into()));
    let array = all(batch, names, |found| {
        // The size of a number determines its unit; Arrow would take it for milliseconds.
        if found.data_type().is_numeric() {
            let numbers = cast(found, &DataType::Float64).filter(|_| !found.data_type().is_integer());
            let millis: TimestampMillisecondArray = match numbers {
                Some(numbers) => numbers
                    .as_primitive::<Float64Type>()
                    .iter()
                    .map(|number| moments::of_fraction(number?))
                    .collect(),
                None => {
                    let numbers = cast(found, &DataType::Int64)?;
                    numbers
                        .as_primitive::<Int64Type>()
                        .iter()
                        .map(|number| moments::of_number(number?))
                        .collect()
                }
            };
            return Some(Arc::new(millis.with_data_type(to.clone())));
        }
        let times = cast(found, &to)?;
        if times.null_count() == found.null_count() {
            return Some(times);
        }
        // Texts of digits, which Arrow does not read.
        let texts = cast(found, &DataType::Utf8View)?;
        let digits: TimestampMillisecondArray =
            texts.as_string_view().iter().map(|text| moments::of_text(text?)).collect();
        or_else(times, Arc::new(digits.with_data_type(to.clone())))
    })?;
    array.as_primitive_opt::<TimestampMillisecondType>().cloned()
}

pub(super) fn value(array: Option<&StringViewArray>, row: usize) -> Option<&str> {
    array.filter(|array| array.is_valid(row)).map(|array| array.value(row))
}

pub(super) fn number(array: Option<&Int64Array>, row: usize) -> Option<i64> {
    array.filter(|array| array.is_valid(row)).map(|array| array.value(row))
}

/// Sizes and durations above a pebibyte, or 35 years, are ignored: they would dominate every sum, and their own sums
/// would exceed the greatest number.
const MOST: i64 = 1 << 50;

/// A number of bytes or microseconds.
pub(super) fn amount(array: Option<&Int64Array>, row: usize) -> Option<u64> {
    number(array, row).and_then(as_amount)
}

/// A number of bytes or microseconds, if it is in range.
pub(super) fn as_amount(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|_| number <= MOST)
}

/// Whether any record is a request that a server received.
pub(super) fn is_server(batch: &RecordBatch) -> bool {
    let mut columns = CLIENT.iter().chain(&METHOD).filter_map(|name| batch.column_by_name(name));
    columns.any(|column| column.null_count() < column.len())
}

pub(super) fn micros(batch: &RecordBatch) -> Option<Int64Array> {
    let millis: Option<Int64Array> =
        numbers(batch, &MILLIS).map(|millis| millis.unary(|millis: i64| millis.saturating_mul(1000)));
    match (numbers(batch, &MICROS), millis) {
        (Some(micros), Some(millis)) => {
            or_else(Arc::new(micros), Arc::new(millis)).map(|all| all.as_primitive::<Int64Type>().clone())
        }
        (micros, millis) => micros.or(millis),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Float64Array, StringArray, TimestampSecondArray};

    use super::*;

    #[test]
    fn amounts_are_no_numbers_of_any_size() {
        for (number, expected) in
            [(-1, None), (0, Some(0)), (MOST, Some(1 << 50)), (MOST + 1, None), (i64::MAX, None)]
        {
            assert_eq!(as_amount(number), expected, "{number}");
        }
    }

    #[test]
    fn times_are_read_from_moments_numbers_and_texts() {
        const MOMENT: i64 = 1_700_000_000_000; // 2023-11-14 22:13:20
        let texts = [
            "2023-11-14T22:13:20Z",
            "2023-11-14 22:13:20",
            "2023-11-14T23:13:20+01:00",
            "20231114221320",
            "1700000000",
            "1700000000.25",
            "yesterday",
        ];
        let seconds = TimestampSecondArray::from(vec![Some(MOMENT / 1000), None]).with_timezone("+05:00");
        let table: [(ArrayRef, &[Option<i64>]); 7] = [
            (
                Arc::new(StringArray::from_iter_values(texts)),
                &[
                    Some(MOMENT),
                    Some(MOMENT),
                    Some(MOMENT),
                    Some(MOMENT),
                    Some(MOMENT),
                    Some(MOMENT + 250),
                    None,
                ],
            ),
            (Arc::new(Int64Array::from(vec![Some(1_700_000_000), None])), &[Some(MOMENT), None]),
            (Arc::new(Int64Array::from(vec![MOMENT, MOMENT * 1000])), &[Some(MOMENT); 2]),
            (Arc::new(Int64Array::from(vec![20_231_114_221_320])), &[Some(MOMENT)]),
            (Arc::new(Float64Array::from(vec![1_700_000_000.5, f64::NAN])), &[Some(MOMENT + 500), None]),
            (Arc::new(seconds), &[Some(MOMENT), None]),
            (Arc::new(BooleanArray::from(vec![true])), &[None]),
        ];
        for (column, expected) in table {
            let batch = RecordBatch::try_from_iter([("time", Arc::clone(&column))]).expect("a batch");
            let found = times(&batch, &TIME);
            let found: Vec<_> = found.map_or(vec![None; column.len()], |found| found.iter().collect());
            assert_eq!(found, expected, "{column:?}");
        }
    }
}
