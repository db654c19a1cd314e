//! Finds the rows without a value in a required column, and the reason; and fills in values if that is requested.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int16Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray, StringViewArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use urimill_columns::batch::{Column, Unfit};

use super::columns::Kind;
use super::{COLUMNS, Whole};

/// A row without a value in a required column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) row: u32,
    /// The index in [`COLUMNS`].
    pub(super) column: usize,
    reason: &'static str,
    /// Whether the batch's own column of faults has it.
    is_reported: bool,
}

const MISSING: &str = "missing";
const OUT_OF_RANGE: &str = "out_of_range";
/// The reasons in the batch's column of faults.
const REPORTED: [&str; 6] = ["not_a_number", OUT_OF_RANGE, "not_a_time", "not_utf8", MISSING, "too_long"];

impl Fault {
    /// Whether the record has a value that is too large for the column: a wrong offset in a file would be worse than
    /// none, so it is never filled in.
    fn is_too_large(&self) -> bool {
        is_too_large(COLUMNS[self.column].name, self.reason)
    }
}

/// The same for a column by name.
pub(super) fn is_too_large(column: &str, reason: &str) -> bool {
    let is_place = || COLUMNS.iter().any(|known| known.name == column && known.kind == Kind::Place);
    reason == OUT_OF_RANGE && is_place()
}

/// The faults of a batch, by row and then by column.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    /// Adds the nulls of a column; `wide` is the column before values that do not fit became null.
    pub(super) fn add(
        &mut self,
        column: usize,
        batch: &Whole<'_>,
        array: &ArrayRef,
        wide: Option<&ArrayRef>,
    ) {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        for row in nulls.into_iter().flat_map(|nulls| (!nulls.inner()).set_indices_u32().collect::<Vec<_>>())
        {
            let reported = reported(batch, column, row);
            let reason = match wide {
                Some(wide) if wide.is_valid(row as usize) => OUT_OF_RANGE,
                _ => reported.unwrap_or(MISSING),
            };
            self.0.push(Fault { row, column, reason, is_reported: reported.is_some() });
        }
    }

    /// To be called after all columns are added.
    pub(super) fn settle(&mut self) {
        // Stable: within a row they stay in the order of the columns.
        self.0.sort_by_key(|fault| fault.row);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    fn of_row(&self, row: u32) -> &[Fault] {
        let from = self.0.partition_point(|fault| fault.row < row);
        let to = self.0.partition_point(|fault| fault.row <= row);
        &self.0[from..to]
    }

    /// One bit per row: whether it has a fault that `fill` does not repair. Rows that are `rejected` have their own
    /// code, and do not count if they leave the table anyway (`leaves`).
    pub(super) fn unfit(&self, rejected: &BooleanArray, leaves: bool, fill: bool) -> BooleanBuffer {
        let mut bits = BooleanBufferBuilder::new(rejected.len());
        bits.append_n(rejected.len(), false);
        for fault in self.0.iter().filter(|fault| !fill || fault.is_too_large()) {
            let row = fault.row as usize;
            if !(leaves && rejected.value(row)) {
                bits.set_bit(row, true);
            }
        }
        bits.finish()
    }

    /// The description of such a row.
    pub(super) fn first<'a>(&self, batch: &'a Whole<'_>, row: u32, fill: bool) -> Unfit<'a> {
        let fault = self.of_row(row).iter().find(|fault| !fill || fault.is_too_large());
        let (column, reason) =
            fault.map_or(("", MISSING), |fault| (COLUMNS[fault.column].name, fault.reason));
        let row = row as usize;
        let numbers = batch.own(Column::Record).map(|array| array.as_primitive::<Int64Type>());
        let texts = batch.own(Column::Uri).map(|array| array.as_string_view()).filter(|t| t.is_valid(row));
        Unfit {
            record: numbers.map_or(0, |numbers| numbers.value(row)),
            text: texts.map_or("", |texts| texts.value(row)),
            column,
            reason,
        }
    }

    /// The faults of a row: those of its fields in the batch, and its missing values:
    /// `status:not_a_number,url_host_name:missing`.
    pub(super) fn of(&self, batch: &Whole<'_>, row: u32) -> Option<String> {
        let reported = field_faults(batch, row).map(str::to_owned);
        let own = self.of_row(row).iter().filter(|fault| !fault.is_reported);
        let own = own.map(|fault| format!("{}:{}", COLUMNS[fault.column].name, fault.reason));
        let all: Vec<String> = reported.into_iter().chain(own).collect();
        (!all.is_empty()).then(|| all.join(","))
    }

    /// [`Faults::of`] of every row.
    pub(super) fn column(&self, batch: &Whole<'_>) -> ArrayRef {
        if let (Some(reported), true) = (batch.field_errors(), self.0.iter().all(|fault| fault.is_reported)) {
            return reported.clone();
        }
        let mut column = StringViewBuilder::with_capacity(batch.count());
        (0..batch.count() as u32).for_each(|row| column.append_option(self.of(batch, row)));
        Arc::new(column.finish())
    }
}

/// The batch's faults of a row's fields.
pub(super) fn field_faults<'a>(batch: &'a Whole<'_>, row: u32) -> Option<&'a str> {
    let reported = batch.field_errors()?.as_string_view();
    reported.is_valid(row as usize).then(|| reported.value(row as usize))
}

/// The fault, in the batch's own column of faults, of a field that a column is made from.
fn reported(batch: &Whole<'_>, column: usize, row: u32) -> Option<&'static str> {
    let faults = field_faults(batch, row)?;
    let (_, fields) = batch.table.format.iter().find(|(name, _)| *name == COLUMNS[column].made_of())?;
    let said = faults.split(',').filter_map(|fault| fault.split_once(':'));
    let (_, reason) = said.into_iter().find(|(field, _)| fields.contains(field))?;
    REPORTED.into_iter().find(|known| *known == reason)
}

/// A column with a default in place of nulls: the empty string, 0, the first moment of 1970.
pub(super) fn filled(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    fn zeros<T: ArrowPrimitiveType>(array: &ArrayRef) -> PrimitiveArray<T> {
        let values = array.as_primitive::<T>().iter().map(|value| value.unwrap_or_default());
        PrimitiveArray::new(values.collect::<ScalarBuffer<_>>(), None)
    }
    Ok(match array.data_type() {
        DataType::Int16 => Arc::new(zeros::<Int16Type>(array)),
        DataType::Int32 => Arc::new(zeros::<Int32Type>(array)),
        DataType::Int64 => Arc::new(zeros::<Int64Type>(array)),
        DataType::Timestamp(_, zone) => {
            Arc::new(zeros::<TimestampMillisecondType>(array).with_timezone_opt(zone.clone()))
        }
        _ => {
            let texts = array.as_string_view();
            let views = texts.views().iter().enumerate();
            let views = views.map(|(row, &view)| if texts.is_valid(row) { view } else { 0 });
            Arc::new(StringViewArray::try_new(views.collect(), texts.data_buffers().to_vec(), None)?)
        }
    })
}
