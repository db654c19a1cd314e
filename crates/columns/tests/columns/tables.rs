//! Rows of tables: the same as those of arrays, with the columns that pass through.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Int64Type};
use urimill::ErrorKind;
use urimill::batch::{
    Column, Columns, ExtraColumns, Normalizer, OddRows, Options, Origin, Reading, RfcOptions, TableRows,
    Tally,
};

use crate::dataset;

fn extra_columns() -> ExtraColumns {
    ExtraColumns::of_table([Arc::new(Field::new("n", DataType::Int64, false))])
}

fn table(uris: ArrayRef, bases: Option<ArrayRef>) -> TableRows {
    let numbers = Int64Array::from_iter_values(0..uris.len() as i64);
    TableRows { uris, odd: OddRows::default(), bases, passthrough: vec![Arc::new(numbers)] }
}

/// All batches of a table as one, their number, and the accounts.
fn all(options: &Options, rows: &TableRows) -> (RecordBatch, usize, Tally, u64) {
    let mut normalizer = Normalizer::new(options.clone());
    let (mut batches, mut total, mut bytes, mut at) = (Vec::new(), Tally::default(), 0, 0);
    while at < rows.uris.len() {
        let origin = Origin { first_record: 1 + at as i64, source: "t", ..Origin::default() };
        let taken = normalizer.table(rows, at, origin).expect("a batch");
        assert_eq!(taken.batch.num_rows(), taken.next - at);
        assert!(taken.next > at);
        at = taken.next;
        bytes += taken.bytes;
        total.add(&taken.tally);
        batches.push(taken.batch);
    }
    let whole = concat_batches(&options.schema(), &batches).expect("one schema");
    (whole, batches.len(), total, bytes)
}

#[test]
fn a_table_equals_its_array_plus_extra_columns() {
    let text =
        String::from_utf8_lossy(&[dataset("oddities.txt"), dataset("sample.txt")].concat()).into_owned();
    let lines: Vec<Option<&str>> =
        text.lines().enumerate().map(|(row, line)| (row % 9 > 0).then_some(line)).collect();
    let uris: ArrayRef = Arc::new(StringArray::from(lines.clone()));
    let bases: ArrayRef = Arc::new(StringArray::from_iter_values(
        lines.iter().enumerate().map(|(row, _)| if row % 3 == 0 { "" } else { "http://example.com/a/b?c" }),
    ));
    let columns = Column::ALL.into_iter().filter(|column| *column != Column::Offset);
    let reading = Reading::Rfc(RfcOptions { repair: true, ..RfcOptions::default() });
    let plain = Options { columns: Columns::new(columns), reading, ..Options::default() };
    // A long base gives many batches.
    let long = format!("http://example.com/{}", "x".repeat(200_000));
    let with_base = plain.clone().with_base(&long).expect("a base");
    for (options, own) in [(plain.clone(), None), (plain, Some(&bases)), (with_base, None)] {
        let rows = table(uris.clone(), own.cloned());
        let with_extra = Options { extra: extra_columns(), ..options.clone() };
        let few = if options.base.is_some() { rows.slice(300) } else { rows };
        let (batch, batches, tally, bytes) = all(&with_extra, &few);
        let mut normalizer = Normalizer::new(options.clone());
        let (expected, expected_tally) = match &few.bases {
            Some(bases) => normalizer.array_with_bases(&few.uris, bases),
            None => normalizer.array(&few.uris),
        }
        .expect("a batch");
        assert_eq!(batches > 1, options.base.is_some());
        for column in options.columns.iter().filter(|column| *column != Column::Source) {
            let name = column.as_str();
            assert_eq!(batch.column_by_name(name), expected.column_by_name(name), "{name}");
        }
        assert_eq!((tally.rows, tally.nulls), (expected_tally.rows, expected_tally.nulls));
        assert_eq!((tally.rejects(), tally.changed), (expected_tally.rejects(), expected_tally.changed));
        let numbers = batch.column_by_name("n").expect("kept").as_primitive::<Int64Type>();
        assert!(numbers.values().iter().copied().eq(0..few.uris.len() as i64));
        let schema = batch.schema();
        assert_eq!(schema.field_with_name("n").expect("kept"), &Field::new("n", DataType::Int64, false));
        let length =
            |texts: &ArrayRef| texts.as_string::<i32>().iter().flatten().map(str::len).sum::<usize>();
        assert_eq!(bytes as usize, length(&few.uris) + few.bases.as_ref().map_or(0, length));
    }
}

trait Slice {
    fn slice(self, rows: usize) -> Self;
}

impl Slice for TableRows {
    fn slice(self, rows: usize) -> TableRows {
        let cut = |array: ArrayRef| array.slice(0, rows);
        let TableRows { uris, odd, bases, passthrough } = self;
        let passthrough = passthrough.into_iter().map(cut).collect();
        TableRows { uris: cut(uris), odd, bases: bases.map(cut), passthrough }
    }
}

/// A batch holds only as many references as it can write targets for.
#[test]
fn long_references_make_small_batches() {
    let long = format!("http://EXAMPLE.com/{}", "x".repeat(20 << 20));
    let uris: ArrayRef =
        Arc::new(StringArray::from(vec![Some("/a"), Some(&*long), None, Some(&*long), Some("/b")]));
    let options = Options {
        extra: extra_columns(),
        max_record: 64 << 20,
        columns: Columns::new([Column::Uri, Column::Record]),
        ..Options::default()
    };
    let (batch, batches, tally, bytes) = all(&options, &table(uris, None));
    assert_eq!((batches, tally.rows, tally.nulls, tally.changed), (2, 5, 1, 2));
    assert_eq!(bytes as usize, 2 * long.len() + 4);
    let uris = batch["uri"].as_string_view();
    assert_eq!((uris.value(0), uris.value(4)), ("/a", "/b"));
    assert!(uris.value(3).starts_with("http://example.com/x"));
    assert!(batch["record"].as_primitive::<Int64Type>().values().iter().copied().eq(1..=5));
}

#[test]
fn wrong_tables_are_refused() {
    let uris: ArrayRef = Arc::new(StringArray::from(vec!["/a", "/b"]));
    let with = |columns: &str, extra: ExtraColumns| Options {
        extra,
        columns: Columns::parse(columns).expect("columns"),
        ..Options::default()
    };
    let short: ArrayRef = Arc::new(StringArray::from(vec!["/a"]));
    let whole = || table(uris.clone(), None);
    let cases = [
        (with("+offset", extra_columns()), whole(), "offset"),
        (
            with("uri", ExtraColumns::default()),
            whole(),
            "the table should have 0 columns that pass through, and has 1",
        ),
        (
            with("uri", extra_columns()),
            TableRows { passthrough: vec![uris.clone()], ..whole() },
            "their types differ",
        ),
        (with("uri", extra_columns()), TableRows { passthrough: vec![], ..whole() }, "1 columns"),
        (with("uri", extra_columns()), TableRows { bases: Some(short), ..whole() }, "differ in length"),
        (
            with("uri", extra_columns()),
            TableRows { uris: whole().passthrough[0].clone(), ..whole() },
            "Int64",
        ),
    ];
    for (options, rows, part) in cases {
        let error = Normalizer::new(options).table(&rows, 0, Origin::default()).expect_err(part);
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.to_string().contains(part), "{part:?} is not in {error}");
    }
    // An array alone has no rows for the columns that pass through.
    let error = Normalizer::new(with("uri", extra_columns())).array(&uris).expect_err("no column");
    assert!(error.to_string().contains("Normalizer::table"), "{error}");
}
