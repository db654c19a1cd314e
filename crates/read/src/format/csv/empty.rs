//! The columns of an empty input: no record names its fields, so they are those that the run names.

use urimill_base::error::Result;
use urimill_columns::batch::{ExtraColumns, Kind};

use super::Delimited;
use crate::format::fields::{Field, OF_REQUEST};
use crate::format::keep::Keep;

impl Delimited {
    /// See [`Delimited::begin`].
    pub(super) fn begin_empty(&mut self) -> Result<()> {
        let kept = match &self.keep {
            Keep::Names(names) | Keep::AllWith(names) => &names[..],
            _ => &[],
        };
        let mut fields: Vec<Field> = Vec::new();
        for name in kept.iter().chain(&self.named).filter(|name| !self.fields.uri.makes(name)) {
            let field = name.parse()?;
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        self.of_request = self.fields.uri.made(&self.keep);
        let made = self.of_request.iter().map(|&at| OF_REQUEST[at].to_owned());
        let column = |field: &Field| match field {
            Field::Number(number) => format!("field_{number}"),
            Field::Name(name) => name.clone(),
        };
        self.extra = ExtraColumns::new(made.chain(fields.iter().map(column)).map(|name| (name, Kind::Text)));
        self.wanted = fields;
        Ok(())
    }
}
