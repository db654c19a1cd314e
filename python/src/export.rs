//! Outputs: the Arrow type of strings, and the capsules of the Arrow PyCapsule protocol.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyField;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use urimill::run::Finish;
use urimill::write::{export_schema, to_plain};
use urimill::{Error, ErrorKind};

use crate::errors::usage;
use crate::errors::{Fault, Result, caught};

/// The Arrow type of the strings that urimill makes; columns that pass through keep theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strings {
    /// 32-bit offsets, which every reader knows.
    Plain,
    /// 64-bit offsets.
    Large,
    /// Views, which need no copy of the input's bytes.
    View,
}

impl Strings {
    pub(crate) fn named(name: &str) -> Result<Strings> {
        match name {
            "string" => Ok(Strings::Plain),
            "large_string" => Ok(Strings::Large),
            "string_view" => Ok(Strings::View),
            other => Err(usage(format!(
                "there is no type of strings {other:?}: use string, large_string or string_view"
            ))),
        }
    }

    /// The type for the columns that are made of one of `texts`: views are the fastest, but not every reader knows
    /// them.
    pub(crate) fn like(texts: &DataType) -> Strings {
        match texts {
            DataType::Utf8View | DataType::BinaryView => Strings::View,
            _ => Strings::Plain,
        }
    }

    /// The exported schema for batches that have the schema `inside` within urimill.
    pub(crate) fn schema(self, inside: &SchemaRef) -> SchemaRef {
        match self {
            Strings::Plain => Arc::new(export_schema(inside)),
            Strings::Large => {
                Arc::new(Schema::new(inside.fields().iter().map(large_field).collect::<Vec<_>>()))
            }
            Strings::View => inside.clone(),
        }
    }

    /// The form of the batches of a run, for its threads.
    pub(crate) fn shape(self) -> impl FnOnce(SchemaRef) -> (SchemaRef, Finish) + Send + 'static {
        move |inside| {
            let schema = self.schema(&inside);
            let to = schema.clone();
            let finish = move |batch: RecordBatch| {
                let exit = || {
                    let columns = self.columns(&batch, &to)?;
                    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                    Ok(RecordBatch::try_new_with_options(to.clone(), columns, &options)?)
                };
                exit().map_err(|fault: Fault| {
                    let sentence = format!("cannot hand rows over: {}", ArrowError::from(fault));
                    Error::new(ErrorKind::Internal, sentence)
                })
            };
            (schema, Box::new(finish))
        }
    }

    /// The columns of a batch in the types of `schema`, which may have more columns after them. The batch has the types
    /// that urimill uses inside, or, if its rows were sorted, the exported ones.
    pub(crate) fn columns(self, batch: &RecordBatch, schema: &SchemaRef) -> Result<Vec<ArrayRef>> {
        Ok(match self {
            Strings::Plain => {
                let own: Fields = schema.fields()[..batch.num_columns()].into();
                to_plain(batch, &Arc::new(Schema::new(own)))?.columns().to_vec()
            }
            Strings::Large | Strings::View => {
                let pairs = batch.columns().iter().zip(schema.fields());
                pairs.map(|(column, field)| cast(column, field.data_type())).collect::<Result<_, _>>()?
            }
        })
    }
}

fn large_field(field: &FieldRef) -> Field {
    field.as_ref().clone().with_data_type(large_type(field.data_type()))
}

fn large_type(inside: &DataType) -> DataType {
    match inside {
        DataType::Utf8View => DataType::LargeUtf8,
        DataType::BinaryView => DataType::LargeBinary,
        DataType::List(element) => DataType::List(Arc::new(large_field(element))),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(large_field).collect()),
        other => other.clone(),
    }
}

/// Batches as a stream for any reader of the protocol.
pub(crate) fn batches<'py, I>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: I,
    requested: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>>
where
    I: Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
{
    let field =
        Field::new_struct("", schema.fields().clone(), false).with_metadata(schema.metadata().clone());
    let arrays = batches.map(|batch| batch.map(|batch| Arc::new(StructArray::from(batch)) as ArrayRef));
    arrays_as(py, Arc::new(field), arrays, requested)
}

/// Arrays of one field as a stream, in the type that the reader asks for if that is possible.
pub(crate) fn arrays_as<'py, I>(
    py: Python<'py>,
    field: FieldRef,
    arrays: I,
    requested: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>>
where
    I: Iterator<Item = Result<ArrayRef, ArrowError>> + Send + 'static,
{
    let asked = requested.map(|capsule| PyField::from_arrow_pycapsule(&capsule)).transpose()?;
    let asked =
        asked.map(PyField::into_inner).filter(|asked| holds_the_same(field.data_type(), asked.data_type()));
    let field = match &asked {
        Some(asked) => Arc::new(field.as_ref().clone().with_data_type(asked.data_type().clone())),
        None => field,
    };
    let to = field.data_type().clone();
    let arrays = Guarded { inner: arrays, to, failed: None };
    Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(arrays, field)), None)?)
}

/// Whether two types hold the same values in different layouts, so that the reader may have the one that it asks for.
/// (Arrow would turn texts that are not numbers into nulls.)
fn holds_the_same(own: &DataType, asked: &DataType) -> bool {
    use DataType::*;
    match (own, asked) {
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8 | Utf8View) => true,
        (Binary | LargeBinary | BinaryView, Binary | LargeBinary | BinaryView) => true,
        (List(own), List(asked) | LargeList(asked)) => holds_the_same(own.data_type(), asked.data_type()),
        (Struct(own), Struct(asked)) => {
            let same = |(own, asked): (&FieldRef, &FieldRef)| {
                own.name() == asked.name() && holds_the_same(own.data_type(), asked.data_type())
            };
            own.len() == asked.len() && own.iter().zip(asked).all(same)
        }
        (own, asked) => own == asked,
    }
}

/// A panic must not cross into another language, where it would end the process: it becomes an error here. Whoever
/// reads on after an error gets it again, and not the end.
struct Guarded<I> {
    inner: I,
    to: DataType,
    failed: Option<String>,
}

impl<I: Iterator<Item = Result<ArrayRef, ArrowError>>> Iterator for Guarded<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(sentence) = &self.failed {
            return Some(Err(ArrowError::ComputeError(sentence.clone())));
        }
        let next = caught(|| {
            let array = self.inner.next().transpose()?;
            Ok(array
                .map(|array| if *array.data_type() == self.to { Ok(array) } else { cast(&array, &self.to) })
                .transpose()?)
        });
        let next = next.map_err(ArrowError::from);
        self.failed = next.as_ref().err().map(ToString::to_string);
        next.transpose()
    }
}
