//! Arrow IPC files and streams, read back with the arrow crate.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, RecordBatch};
use arrow::datatypes::{DataType, Int8Type};
use arrow::ipc::reader::{FileReader, StreamReader};
use urimill_write::{Format, SinkOptions, export_schema, to_plain};

use super::table::{batches, options, plain, schema, write};

fn read(path: &Path, format: Format) -> (Vec<(String, String)>, Vec<RecordBatch>) {
    let file = File::open(path).expect("the file written");
    let (schema, batches) = match format {
        Format::Arrow => {
            let reader = FileReader::try_new(file, None).expect("an IPC file");
            (reader.schema(), reader.collect::<Result<Vec<_>, _>>())
        }
        _ => {
            let reader = StreamReader::try_new(file, None).expect("an IPC stream");
            (reader.schema(), reader.collect())
        }
    };
    let mut metadata: Vec<_> = schema.metadata().clone().into_iter().collect();
    metadata.sort();
    (metadata, batches.expect("messages"))
}

#[test]
fn reads_back_equal_in_plain_types_with_metadata() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t");
    let pairs: Vec<_> =
        [("level", "scheme"), ("spec", "rfc3986")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    let options = SinkOptions { metadata: pairs.clone(), ..options() };
    let input = batches(&[1000, 1, 33]);
    for format in [Format::Arrow, Format::ArrowStream] {
        write(&path, format, &input, &options, 2);
        let (metadata, found) = read(&path, format);
        assert_eq!(metadata, pairs);
        assert_eq!(found.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [1000, 1, 33]);
        for (found, input) in found.iter().zip(&input) {
            let expected = plain(std::slice::from_ref(input));
            assert_eq!(found.columns(), expected.columns());
            assert_eq!(found.schema().fields(), expected.schema().fields());
        }
    }
}

#[test]
fn an_empty_table_is_a_complete_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t");
    for format in [Format::Arrow, Format::ArrowStream] {
        write(&path, format, &[], &options(), 1);
        assert_eq!(read(&path, format).1, []);
    }
}

#[test]
fn exported_types_have_no_views_and_no_dictionaries() {
    let dictionary: DictionaryArray<Int8Type> = [Some("http"), None, Some("http")].into_iter().collect();
    let input = RecordBatch::try_from_iter([("scheme", Arc::new(dictionary) as ArrayRef)]).expect("a batch");
    let exit = Arc::new(export_schema(&input.schema()));
    let found = to_plain(&input, &exit).expect("a conversion");
    assert_eq!(found.schema().field(0).data_type(), &DataType::Utf8);
    let expected: arrow::array::StringArray = [Some("http"), None, Some("http")].into_iter().collect();
    assert_eq!(found.column(0).as_ref(), &expected as &dyn arrow::array::Array);

    let exit = export_schema(&schema());
    for (inside, exit) in schema().fields().iter().zip(exit.fields()) {
        assert_eq!((inside.name(), inside.is_nullable()), (exit.name(), exit.is_nullable()));
        assert!(!matches!(exit.data_type(), DataType::Utf8View | DataType::BinaryView), "{}", exit.name());
    }
}

#[test]
fn slices_are_written_with_only_their_own_rows() {
    let whole = super::table::batch(0, 60);
    let exit = Arc::new(export_schema(&whole.schema()));
    let part = whole.slice(7, 20);
    let found = to_plain(&part, &exit).expect("a conversion");
    assert_eq!(found.columns(), plain(&[part]).columns());
}
