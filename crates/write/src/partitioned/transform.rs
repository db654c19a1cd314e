//! Partitions by a part of a value: the hour, day or month of a moment, or a share of all texts by their hash. The
//! column itself stays in the files.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, TimeUnit};
use twox_hash::XxHash3_64;
use urimill_base::calendar::date;
use urimill_base::error::{Error, Result};

/// The part of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transform {
    Hour,
    Day,
    Month,
    /// One of this many shares, from 0: XXH3-64 of the text, modulo the number.
    Hash(u32),
}

/// More shares are useless: each is a directory.
const MOST_SHARES: u32 = 100_000;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

impl Transform {
    /// `day`, `hour`, `month`, `hash=64`.
    ///
    /// Usage, if it is none of these.
    pub(crate) fn of(text: &str) -> Result<Transform> {
        let shares = text.strip_prefix("hash=").and_then(|count| count.parse::<u32>().ok());
        match (text, shares) {
            ("hour", _) => Ok(Transform::Hour),
            ("day", _) => Ok(Transform::Day),
            ("month", _) => Ok(Transform::Month),
            (_, Some(count)) if (1..=MOST_SHARES).contains(&count) => Ok(Transform::Hash(count)),
            _ => Err(Error::usage(format!(
                "cannot partition by {text:?} of a column: say hour, day or month of a time, as in time:day, or a number \
                 of shares from 1 to {MOST_SHARES}, as in host:hash=64"
            ))),
        }
    }

    /// The name in directories: `time_day`.
    pub(crate) fn name(self, column: &str) -> String {
        let suffix = match self {
            Transform::Hour => "hour",
            Transform::Day => "day",
            Transform::Month => "month",
            Transform::Hash(_) => "hash",
        };
        format!("{column}_{suffix}")
    }

    /// Whether columns of a type have such parts.
    pub(crate) fn takes(self, data_type: &DataType) -> bool {
        match self {
            Transform::Hash(_) => {
                data_type.is_integer()
                    || matches!(data_type, DataType::Utf8View | DataType::Utf8 | DataType::LargeUtf8)
            }
            _ => matches!(data_type, DataType::Timestamp(..) | DataType::Date32 | DataType::Date64),
        }
    }

    /// The parts by number, row by row.
    pub(crate) fn numbers(self, column: &ArrayRef) -> Result<Int64Array, ArrowError> {
        if let Transform::Hash(shares) = self {
            let texts = cast(column, &DataType::Utf8View)?;
            let share = |text: &str| (XxHash3_64::oneshot(text.as_bytes()) % u64::from(shares)) as i64;
            return Ok(texts.as_string_view().iter().map(|text| text.map(share)).collect());
        }
        let moments = match column.data_type() {
            // Milliseconds need no other zone: they count in UTC.
            DataType::Timestamp(_, zone) => {
                cast(column, &DataType::Timestamp(TimeUnit::Millisecond, zone.clone()))?
            }
            _ => cast(column, &DataType::Date64)?,
        };
        let moments = cast(&moments, &DataType::Int64)?;
        Ok(moments.as_primitive::<Int64Type>().unary(|moment| match self {
            Transform::Hour => moment.div_euclid(HOUR),
            Transform::Day => moment.div_euclid(DAY),
            _ => {
                let (year, month, _) = date(moment.div_euclid(DAY));
                year * 12 + month - 1
            }
        }))
    }

    /// The text of a number: `2024-04-12-10`, `2024-04-12`, `2024-04`, `17`.
    pub(crate) fn text(self, number: i64) -> String {
        match self {
            Transform::Hash(_) => number.to_string(),
            Transform::Month => format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1),
            Transform::Day => day(number),
            Transform::Hour => format!("{}-{:02}", day(number.div_euclid(24)), number.rem_euclid(24)),
        }
    }
}

fn day(number: i64) -> String {
    let (year, month, day) = date(number);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_days() {
        // (milliseconds, hour, day, month)
        let cases = [
            (0, "1970-01-01-00", "1970-01-01", "1970-01"),
            (-1, "1969-12-31-23", "1969-12-31", "1969-12"),
            (1_117_886_400_000, "2005-06-04-12", "2005-06-04", "2005-06"),
            (951_782_399_999, "2000-02-28-23", "2000-02-28", "2000-02"),
            (951_782_400_000, "2000-02-29-00", "2000-02-29", "2000-02"),
            (4_107_542_400_000, "2100-03-01-00", "2100-03-01", "2100-03"),
            (-62_135_596_800_000, "0001-01-01-00", "0001-01-01", "0001-01"),
        ];
        for (moment, hour, day, month) in cases {
            let column: ArrayRef =
                std::sync::Arc::new(arrow_array::TimestampMillisecondArray::from(vec![moment]));
            let text =
                |transform: Transform| transform.text(transform.numbers(&column).expect("a moment").value(0));
            assert_eq!(
                [text(Transform::Hour), text(Transform::Day), text(Transform::Month)],
                [hour, day, month]
            );
        }
    }
}
