//! `urimill::par` gives the rows of the sequential call on real lists, with any number of threads. The unit tests of
//! `src/par` cut a list at every byte.

use std::fs;

use arrow::array::{Array, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use rayon::ThreadPoolBuilder;
use urimill::batch::{Columns, Normalizer, Options};
use urimill::par;
use urimill_testkit::row::in_one_thread;

use crate::{corpora, dataset};

fn whole(table: &par::Table) -> RecordBatch {
    concat_batches(&table.schema, &table.batches).expect("batches of one schema")
}

/// Names the column and the first row that differ: a whole table would fill the screen.
fn equal(found: &RecordBatch, expected: &RecordBatch) {
    assert_eq!(found.schema(), expected.schema());
    assert_eq!(found.num_rows(), expected.num_rows());
    for (at, field) in expected.schema().fields().iter().enumerate() {
        let (found, expected) = (found.column(at), expected.column(at));
        let differs = |&row: &usize| found.slice(row, 1) != expected.slice(row, 1);
        if found != expected {
            let row = (0..found.len()).find(differs).expect("a row differs");
            panic!(
                "{}, row {row}: {:?}, not {:?}",
                field.name(),
                found.slice(row, 1),
                expected.slice(row, 1)
            );
        }
    }
}

#[test]
fn lists_give_the_rows_of_one_thread_in_any_number_of_them() {
    let files = corpora().into_iter().map(|path| fs::read(path).expect("a file of the corpora"));
    let mut texts: Vec<Vec<u8>> = files.collect();
    texts.extend(["oddities.txt", "sample.txt"].map(dataset));
    let columns = Columns::parse("+offset,+raw,+flags").expect("these columns exist");
    let options = Options { columns, ..Options::default() };
    let pools = [1, 2, 3, 16].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("a pool"));
    for text in &texts {
        let expected = in_one_thread(text, &options);
        for pool in &pools {
            let shared = bytes::Bytes::from(text.clone());
            for batches in [par::lines(text, &options), par::lines(shared, &options)] {
                let table = pool.install(|| batches.collect_table()).expect("a table");
                equal(&whole(&table), &expected.0);
                assert_eq!(table.tally, expected.1);
            }
        }
        let lines: Vec<String> =
            text.split(|&b| b == b'\n').map(|line| String::from_utf8_lossy(line).into()).collect();
        let array = StringArray::from(lines.clone());
        // Values of an array have no byte offset.
        let options =
            Options { columns: Columns::parse("+raw,+flags").expect("columns"), ..Options::default() };
        let expected = Normalizer::new(options.clone()).array(&array).expect("a table");
        for pool in &pools {
            let both = [par::array(&array, &options).expect("texts"), par::strings(&lines, &options)];
            for batches in both {
                let table = pool.install(|| batches.collect_table()).expect("a table");
                equal(&whole(&table), &expected.0);
                // `spaced` counts in batches without a valid row, whose ends differ.
                let mut tally = table.tally;
                tally.spaced = expected.1.spaced;
                assert_eq!(tally, expected.1);
            }
        }
    }
}
