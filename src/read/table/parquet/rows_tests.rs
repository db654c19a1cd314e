//! Rows decoded ahead by threads beside those of one thread: the same batches, and over damaged files the same rows
//! before the same error.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::rows::Rows;
use super::{ColumnFile, Source};
use crate::files::File;
use crate::read::table::reader::{Faults, guarded};
use crate::read::table::room::Room;

const ROWS: usize = 90_000;

/// Texts that differ, few texts, numbers and nulls.
fn table() -> RecordBatch {
    let urls: StringArray = (0..ROWS).map(|row| Some(format!("http://h{}/{row}", row % 77))).collect();
    let few: StringArray = (0..ROWS).map(|row| (row % 5 > 0).then(|| format!("{}", row / 9 % 40))).collect();
    let numbers: Int64Array = (0..ROWS as i64).map(|row| (row % 11 > 0).then_some(row * row)).collect();
    let columns: [(&str, ArrayRef); 3] =
        [("url", Arc::new(urls)), ("few", Arc::new(few)), ("number", Arc::new(numbers))];
    RecordBatch::try_from_iter(columns).expect("a table")
}

fn parquet(row_group: usize, version: WriterVersion) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(row_group))
        .set_data_page_row_count_limit(700)
        .set_write_batch_size(700)
        .set_writer_version(version)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let table = table();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).expect("a writer");
    writer.write(&table).expect("written");
    writer.into_inner().expect("a file")
}

/// The batches, and what is wrong behind them. `jobs` are about so many bytes.
fn read(bytes: &[u8], threads: usize, jobs: u64) -> (Vec<RecordBatch>, Option<String>) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut file, bytes).expect("written");
    let file = Arc::new(File::open(file.path()).expect("opened"));
    let faults = Faults::default();
    let source = Arc::new(Source { file, name: "t".to_owned(), faults, progress: Arc::default() });
    let opened = guarded(|| {
        let stored = ColumnFile { source: source.clone(), column: None };
        let metadata = ArrowReaderMetadata::load(&stored, ArrowReaderOptions::new())
            .map_err(|error| error.to_string())?;
        let mask = ProjectionMask::all();
        let room = Room::unbounded();
        Rows::new(source, &metadata, mask, (room, threads, jobs)).map_err(|error| error.to_string())
    });
    let mut rows = match opened {
        Ok(rows) => rows,
        Err(what) => return (Vec::new(), Some(what)),
    };
    let mut batches = Vec::new();
    loop {
        match guarded(|| rows.next().transpose()) {
            Ok(Some(batch)) => batches.push(batch),
            Ok(None) => return (batches, None),
            Err(what) => return (batches, Some(what)),
        }
    }
}

#[test]
fn threads_make_the_batches_of_one() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for row_group in [ROWS, 40_000, 16_384, 9_000, 100] {
            let bytes = parquet(row_group, version);
            let (expected, error) = read(&bytes, 1, 1);
            assert_eq!(error, None);
            assert_eq!(expected.iter().map(RecordBatch::num_rows).sum::<usize>(), ROWS);
            for (threads, jobs) in [(2, 1), (3, 1 << 20), (8, 2 << 20), (2, 1 << 30)] {
                let found = read(&bytes, threads, jobs);
                assert!(
                    found == (expected.clone(), None),
                    "{row_group} rows, {threads} threads, jobs of {jobs}"
                );
            }
        }
    }
}

#[test]
fn damage_is_the_same_with_threads() {
    let bytes = parquet(50_000, WriterVersion::PARQUET_1_0);
    let mut random = 7u64;
    let mut wrong = 0;
    for _ in 0..60 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (random >> 33) as usize % bytes.len();
        let mut bytes = bytes.clone();
        bytes[at] ^= (random >> 24) as u8 | 1;
        let expected = read(&bytes, 1, 1);
        let found = read(&bytes, 3, 1);
        assert!(found == expected, "byte {at}: {:?} instead of {:?}", found.1, expected.1);
        wrong += usize::from(expected.1.is_some());
    }
    assert!(wrong > 5, "only {wrong} of 60 changes were noticed");
    for cut in [4, bytes.len() / 3, bytes.len() - 10] {
        assert_eq!(read(&bytes[..cut], 3, 1), read(&bytes[..cut], 1, 1), "cut at {cut}");
    }
}
