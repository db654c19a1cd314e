//! A text in pieces gives the table that it gives in one, wherever it is cut and however many threads there are.

use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::{
    ArrayRef, AsArray, BinaryArray, BinaryViewArray, DictionaryArray, LargeStringArray, NullArray,
    RecordBatch, StringArray, StringViewArray,
};
use arrow::buffer::Buffer;
use arrow::compute::concat_batches;
use arrow::datatypes::{Int32Type, Int64Type, UInt64Type};
use bytes::Bytes;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use urimill_base::error::ErrorKind;
use urimill_columns::batch::{Column, Columns, Normalizer, Options};
use urimill_testkit::row::in_one_thread;

use super::text::{Lines, Text};
use super::{Table, array, arrays, lines, resolve, rows, strings};

/// Blank lines, line ends of both kinds, changed texts and rejects, in each place of a piece.
const LIST: &str = "\u{feff}http://a.example/\n\nHTTP://b.example:80/%7Ea\r\n/a b\n   \n\r\n\n\nhttp://c.example/?q#f\nx\r\n\
    http://user:secret@d.example/\n http://e.example/\r\nhttp://e.example/ \nmailto:a@b\n//f\n\n#\n?\n/caf\u{e9}\n%zz\r\n\
    http://a-very-long-name.example/with/a/path/that/is/longer/than/a/block/of/the/kernel/and/a?query=of&some=more\n\
    /last\r";

fn all_columns() -> Options {
    Options {
        columns: Columns::parse("+offset,+raw,+flags").expect("these columns exist"),
        ..Options::default()
    }
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

fn with_threads<T: Send>(threads: usize, body: impl FnOnce() -> T + Send) -> T {
    pool(threads).install(body)
}

fn whole(table: &Table) -> RecordBatch {
    concat_batches(&table.schema, &table.batches).expect("batches of one schema")
}

#[test]
fn lines_are_the_same_wherever_a_text_is_cut() {
    let options = all_columns();
    let pools = [pool(1), pool(3)];
    for list in [LIST, LIST.trim_end(), "", "\n", "\n\n", "/", "/\n", "\u{feff}", "\u{feff}\n/a\n"] {
        let expected = in_one_thread(list.as_bytes(), &options);
        for piece in 1..list.len() + 2 {
            let texts = [Text::from(list), Text::from(Bytes::copy_from_slice(list.as_bytes()))];
            for (text, pool) in texts.into_iter().zip(&pools) {
                let batches = Lines::new(text, &options).in_pieces(piece).batches();
                let table = pool.install(|| batches.collect_table()).expect("a table");
                assert_eq!(whole(&table), expected.0, "{piece} bytes of {list:?}");
                assert_eq!(table.tally, expected.1, "{piece} bytes of {list:?}");
            }
        }
    }
}

#[test]
fn many_threads_number_the_lines_as_one_does() {
    let text = LIST.repeat(300);
    let options = all_columns();
    let expected = in_one_thread(text.as_bytes(), &options);
    for threads in [1, 2, 3, 16] {
        for piece in [1, 100, 4_000, 50_000] {
            let batches = || Lines::new(Text::from(&text), &options).in_pieces(piece).batches();
            let table = with_threads(threads, || batches().collect_table()).expect("a table");
            assert_eq!(whole(&table), expected.0, "{threads} threads, pieces of {piece} bytes");
            assert_eq!(table.tally, expected.1);
            let tally = with_threads(threads, || batches().tally()).expect("a tally");
            assert_eq!(tally, expected.1);
            let (mut rounds, mut all) = (batches().rounds(), Vec::new());
            let mut next = || {
                let round = rounds.round(5)?;
                Some(pool(threads).install(|| round.collect::<Result<Vec<_>, _>>()).expect("a round"))
            };
            while let Some(round) = next() {
                assert!(piece != 100 || round.len() <= 5);
                all.extend(round);
            }
            assert_eq!(concat_batches(&table.schema, &all).expect("one schema"), expected.0);
        }
    }
}

#[test]
fn a_consumer_that_ends_a_piece_early_does_not_change_the_numbers_behind() {
    let text = "http://a.example/\n".repeat(40_000);
    let options = Options { batch_rows: 100, ..Options::default() };
    for threads in [1, 4] {
        let batches = Lines::new(Text::from(&text), &options).in_pieces(18_000).batches();
        // Each piece gives its first batch alone.
        let firsts = batches.map(|batch| {
            let batch = batch.expect("a batch");
            let number = batch["record"].as_primitive::<Int64Type>().value(0);
            if number % 1_000 == 1 { Ok(number) } else { Err(()) }
        });
        let folded = firsts.try_fold(Vec::new, |mut numbers, number| {
            numbers.push(number?);
            Ok::<_, ()>(numbers)
        });
        let ends: Vec<_> = with_threads(threads, || folded.map(|end| end.is_err()).collect());
        assert_eq!(ends, [true; 40]);
    }
    let made = AtomicUsize::new(0);
    let found = with_threads(2, || {
        let batches = Lines::new(Text::from(&text), &options).in_pieces(1_800).batches();
        let counted = batches.inspect(|_| {
            made.fetch_add(1, Ordering::Relaxed);
        });
        counted.find_first(|batch| batch.as_ref().is_ok_and(|batch| batch.num_rows() == 100)).is_some()
    });
    assert!(found && made.into_inner() < 400, "the rest is not made");
}

#[test]
fn a_text_in_shared_memory_is_not_copied() {
    let text = Bytes::from(b"http://www.example.com/index.html\n".repeat(5_000));
    let range = text.as_ptr_range();
    let table = lines(text.clone(), &Options::default()).collect_table().expect("a table");
    let is_within = |buffer: &Buffer| range.contains(&buffer.as_ptr());
    let mut shared =
        table.batches.iter().map(|batch| batch["uri"].as_string_view().data_buffers().iter().any(is_within));
    assert!(shared.next().expect("a batch"), "the first lines are views");
    // Copied lines are the last piece, for their padding.
    assert!(shared.filter(|shared| !shared).count() <= 1);
}

#[test]
fn arrays_of_every_type_give_the_rows_of_the_sequential_call() {
    let texts: Vec<Option<String>> = (0..20_000)
        .map(|i| match i % 7 {
            0 => None,
            1 => Some(format!("HTTP://{i}.example/%7e")),
            2 => Some("/a b".to_owned()),
            3 => Some(String::new()),
            _ => Some(format!("http://{}.example/a/long/path/of/{i}?q", i % 50)),
        })
        .collect();
    let of = |texts: &[Option<String>]| StringArray::from(texts.to_vec());
    let keys: DictionaryArray<Int32Type> = texts.iter().map(Option::as_deref).collect();
    let bytes = || texts.iter().map(|text| text.as_ref().map(String::as_bytes));
    let columns: [ArrayRef; 8] = [
        Arc::new(of(&texts)),
        Arc::new(of(&texts).slice(5, 19_001)),
        Arc::new(of(&[])),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from_iter(texts.clone())),
        Arc::new(BinaryArray::from_iter(bytes())),
        Arc::new(BinaryViewArray::from_iter(bytes())),
        Arc::new(keys),
    ];
    let columns_chosen = Columns::new([Column::Record, Column::Uri, Column::Error, Column::ErrorOffset]);
    for options in
        [Options::default(), Options { columns: columns_chosen, batch_rows: 77, ..Options::default() }]
    {
        for column in &columns {
            let expected = Normalizer::new(options.clone()).array(column).expect("a table");
            for threads in [1, 2, 16] {
                let batches = array(column, &options).expect("an array of texts");
                let table = with_threads(threads, || batches.collect_table()).expect("a table");
                assert_eq!(whole(&table), expected.0, "{}, {threads} threads", column.data_type());
                assert_eq!(table.tally, expected.1);
            }
        }
    }
    let (from, to) = (columns[0].slice(0, 123), columns[0].slice(123, 19_877));
    let chunks = arrays(&[from, columns[0].slice(9, 0), to], &Options::default()).expect("arrays of texts");
    let table = chunks.collect_table().expect("a table");
    assert_eq!(whole(&table), Normalizer::new(Options::default()).array(&columns[0]).expect("a table").0);
}

#[test]
fn strings_give_the_rows_of_an_array() {
    let texts: Vec<String> =
        (0..20_001).map(|i| format!("http://{i}.example/\n{}", " ".repeat(i % 3))).collect();
    let expected =
        Normalizer::new(Options::default()).array(&StringArray::from(texts.clone())).expect("a table");
    let table = with_threads(3, || strings(&texts, &Options::default()).collect_table()).expect("a table");
    assert_eq!((whole(&table), table.tally), expected);
    let bytes: [&[u8]; 2] = [b"http://a.example/", b"\xff"];
    let table = strings(&bytes, &Options::default()).collect_table().expect("a table");
    assert_eq!((table.num_rows(), table.tally.not_utf8), (2, 1));
    assert_eq!(strings::<&str>(&[], &Options::default()).collect_table().expect("a table").num_rows(), 0);
}

#[test]
fn bases_belong_to_the_references_beside_them() {
    let references: StringArray = (0..20_000).map(|i| Some(format!("../{i}"))).collect();
    let bases: StringViewArray =
        (0..20_000).map(|i| (i % 5 > 0).then(|| format!("http://{}.example/a/b/c", i % 9))).collect();
    let expected =
        Normalizer::new(Options::default()).array_with_bases(&references, &bases).expect("a table");
    let batches = resolve(&bases, &references, &Options::default()).expect("arrays of texts");
    let table = with_threads(4, || batches.collect_table()).expect("a table");
    assert_eq!((whole(&table), table.tally), expected);
}

#[test]
fn wrong_arrays_are_refused_before_anything_is_made() {
    let (texts, numbers) = (StringArray::from(vec!["/"]), NullArray::new(1));
    let refused = |made: urimill_base::error::Result<super::Batches<'static>>| {
        let error = made.expect_err("it is refused");
        assert_eq!(error.kind(), ErrorKind::Usage);
        error.to_string()
    };
    let error = refused(array(&numbers, &Options::default()));
    assert!(error.starts_with("URIs cannot be read from an array of Null: give Utf8"), "{error}");
    refused(resolve(&numbers, &texts, &Options::default()));
    refused(resolve(&texts, &numbers, &Options::default()));
    refused(arrays(&[Arc::new(texts.clone()), Arc::new(numbers)], &Options::default()));
    for batches in [array(&texts, &all_columns()).expect("texts"), strings(&["/"], &all_columns())] {
        let error = batches.collect_table().expect_err("an array has no offsets");
        assert!(error.to_string().starts_with("rows of a table have no byte offset"), "{error}");
    }
    let error = refused(resolve(&texts.slice(0, 0), &texts, &Options::default()));
    assert_eq!(error, "there are 1 references and 0 bases: give each reference its own");
}

#[test]
fn rows_come_in_slices_with_bounded_texts() {
    let long = "x".repeat(20 << 20);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["a", &long, "b", &long, "c"])),
        Arc::new(DictionaryArray::<UInt64Type>::from_iter(["v", "w", "v", "w", "v"])),
    ];
    let slices = rows(vec![columns, Vec::new()], 4, |columns, first| (first, columns[1].len())).first(10);
    assert_eq!(slices.collect::<Vec<_>>(), [(10, 3), (13, 1), (14, 1)]);
}

#[test]
fn a_panic_of_the_caller_reaches_the_caller() {
    let text = "http://a.example/\n".repeat(20_000);
    let panicked = catch_unwind(|| {
        let batches = Lines::new(Text::from(&text), &Options::default()).in_pieces(1_000).batches();
        with_threads(3, || batches.for_each(|_| panic!("on purpose")));
    });
    assert!(panicked.is_err());
}

#[test]
fn a_call_within_a_task_of_a_busy_pool_ends() {
    let text = "http://a.example/\n".repeat(20_000);
    for threads in [1, 2] {
        let rows: Vec<usize> = with_threads(threads, || {
            let each = (0..8).into_par_iter();
            each.map(|_| lines(&text, &Options::default()).collect_table().expect("a table").num_rows())
                .collect()
        });
        assert_eq!(rows, [20_000; 8]);
    }
}
