//! URIs in columns of running text, as `urimill extract` finds them in files. Each URI in a text is a row.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, StringViewBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use urimill::extract::{Options, find};

use crate::engine::{Job, Worker};
use crate::errors::Result;
use crate::values::value;

#[derive(Clone)]
pub(crate) struct Extract {
    pub(crate) options: Options,
}

impl Job for Extract {
    fn schema(&self) -> SchemaRef {
        let number = |name| Field::new(name, DataType::Int64, false);
        let text = |name| Field::new(name, DataType::Utf8View, false);
        Arc::new(Schema::new(vec![
            number("record"),
            number("offset"),
            number("length"),
            text("raw"),
            text("uri"),
            text("kind"),
            text("delimiter"),
            Field::new("hyphen_break", DataType::Boolean, false),
        ]))
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(self.clone())
    }

    fn keeps_rows(&self) -> bool {
        false
    }
}

impl Worker for Extract {
    fn rows(&mut self, columns: &[ArrayRef], first: i64) -> Result<RecordBatch> {
        let mut numbers: [Int64Builder; 3] = Default::default();
        let mut texts: [StringViewBuilder; 4] = Default::default();
        let mut breaks = BooleanBuilder::new();
        for row in 0..columns[0].len() {
            let Some(text) = value(&columns[0], row) else { continue };
            for found in find(text, &self.options) {
                let counts = [first + row as i64 + 1, found.offset as i64, found.raw.len() as i64];
                numbers.iter_mut().zip(counts).for_each(|(column, n)| column.append_value(n));
                let shown = [found.raw, &found.uri, found.kind.as_str(), found.delimiter.as_str()];
                texts.iter_mut().zip(shown).for_each(|(column, text)| column.append_value(text));
                breaks.append_value(found.hyphen_break);
            }
        }
        let numbers = numbers.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
        let texts = texts.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
        let columns = numbers.chain(texts).chain([Arc::new(breaks.finish()) as ArrayRef]);
        Ok(RecordBatch::try_new(self.schema(), columns.collect())?)
    }
}
