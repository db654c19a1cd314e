//! The columns of a table, by its schema: those that hold the references and their bases, and those that pass through.

use std::fmt::Display;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use arrow_select::nullif::nullif;
use urimill_base::error::{Error, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{JSON, TableRows, UUID, holds_texts};

use super::made_rows;
use super::made_rows::Made;
use crate::format::fields::{Field, OF_REQUEST, UriSource, list};
use crate::format::keep::Keep;
use crate::format::tables::TableFields;

/// A column by its number, or a field in a struct column, at any depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    column: usize,
    pub within: Vec<usize>,
}

/// The requested columns of one table.
#[derive(Debug, Clone)]
pub(crate) struct Picked {
    source: UriSource,
    uris: Vec<Place>,
    base: Option<Place>,
    /// The columns that are made of a request line, before those that pass through.
    of_request: Vec<usize>,
    /// By number, in the order in which they pass through.
    pub(crate) passthrough: Vec<usize>,
}

impl Picked {
    /// The columns of the first table.
    ///
    /// # Errors
    /// Usage, if a column is missing, is not named, or has a type that cannot hold URIs.
    pub(crate) fn first(schema: &Schema, fields: &TableFields, table: &str) -> Result<Picked> {
        let Texts { source, uris, base } = texts(schema, fields, table)?;
        let is_own = |at: &usize| {
            let is = |place: &Place| place.column == *at && place.within.is_empty();
            // The columns of a template pass through nevertheless: their text may be nowhere else.
            source.template().is_none() && uris.iter().any(is) || base.as_ref().is_some_and(is)
        };
        let passthrough = match &fields.keep {
            Keep::None => Vec::new(),
            keep @ (Keep::All | Keep::AllWith(_) | Keep::AllWithOptional(_)) => {
                // The column of the base is kept only if it is named.
                let is_named = |at: &usize| keep.named().contains(schema.field(*at).name());
                (0..schema.fields().len()).filter(|at| !is_own(at) || is_named(at)).collect()
            }
            Keep::AnyOf(_) => {
                let is_wanted = |&at: &usize| fields.keep.is_any_of(schema.field(at).name());
                (0..schema.fields().len()).filter(|at| !is_own(at)).filter(is_wanted).collect()
            }
            Keep::Names(names) => {
                let column = |name: &String| {
                    let place = place(&name.parse()?, schema, table, |_| true)?;
                    match place.within.is_empty() {
                        true => Ok(place.column),
                        false => Err(Error::usage(format!(
                            "{} takes whole columns of {table}, and {name:?} is a part of one",
                            OptionName::Keep.named()
                        ))),
                    }
                };
                names.iter().filter(|name| !source.makes(name)).map(column).collect::<Result<_>>()?
            }
        };
        let of_request = source.made(&fields.keep);
        Ok(Picked { source, uris, base, of_request, passthrough })
    }

    /// The columns of another table, with the first table's columns that pass through. `names` are its own and the
    /// first's.
    ///
    /// # Errors
    /// Usage, as above, and if a column that passes through is missing, or has another type.
    pub(crate) fn like(
        schema: &Schema,
        fields: &TableFields,
        passthrough: &[FieldRef],
        (table, first): (&str, &str),
    ) -> Result<Picked> {
        let Texts { source, uris, base } = texts(schema, fields, table)?;
        let mut places = Vec::with_capacity(passthrough.len());
        for wanted in passthrough {
            // The first of two columns with the same name is matched first.
            let found = (0..schema.fields().len())
                .find(|at| schema.field(*at).name() == wanted.name() && !places.contains(at));
            let Some(at) = found else {
                return Err(Error::usage(format!(
                    "{table} has no column {:?}, which {first} has: choose others with {}",
                    wanted.name(),
                    OptionName::Keep.named()
                )));
            };
            let (own, other) = (schema.field(at), wanted.as_ref());
            if own.data_type() != other.data_type() || meaning(own) != meaning(other) {
                let [own, other] = [own, other].map(|field| match meaning(field) {
                    Some(name) => format!("{} ({name})", field.data_type()),
                    None => field.data_type().to_string(),
                });
                return Err(Error::usage(format!(
                    "the column {:?} of {table} is {own}, and in {first} it is {other}: drop it with {}",
                    wanted.name(),
                    OptionName::Keep.named()
                )));
            }
            if schema.field(at).is_nullable() && !wanted.is_nullable() {
                return Err(Error::usage(format!(
                    "the column {:?} of {table} may hold nulls, and in {first} it may not: give {table} \
                     first, or drop the column with {}",
                    wanted.name(),
                    OptionName::Keep.named()
                )));
            }
            places.push(at);
        }
        let of_request = source.made(&fields.keep);
        let picked = Picked { source, uris, base, of_request, passthrough: places };
        // Nor may a later table bring columns that are wanted only if they are there.
        if fields.keep.is_all() || matches!(fields.keep, Keep::AnyOf(_)) {
            let others = Picked::first(schema, fields, table)?.passthrough;
            if let Some(&more) = others.iter().find(|at| !picked.passthrough.contains(at)) {
                return Err(Error::usage(format!(
                    "{table} has a column {:?}, which {first} lacks: choose columns with {}",
                    schema.field(more).name(),
                    OptionName::Keep.named()
                )));
            }
        }
        Ok(picked)
    }

    /// The numbers of all its columns, which ascend.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let own = self.uris.iter().chain(&self.base).map(|place| place.column);
        let mut columns: Vec<_> = own.chain(self.passthrough.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The same with only `columns` left.
    pub(crate) fn among(mut self, columns: &[usize]) -> Picked {
        let new = |at: &mut usize| *at = columns.binary_search(at).unwrap_or_default();
        self.uris.iter_mut().for_each(|place| new(&mut place.column));
        self.base.iter_mut().for_each(|place| new(&mut place.column));
        self.passthrough.iter_mut().for_each(new);
        self
    }

    /// The rows of a batch, column by column.
    ///
    /// # Errors
    /// The fault of the data.
    pub(crate) fn rows(&self, batch: &RecordBatch) -> Result<TableRows, String> {
        let texts = self.uris.iter().map(|place| place.of(batch)).collect::<Result<Vec<_>, _>>()?;
        let Made { uris, odd, of_request } = match &self.source {
            UriSource::Field(_) => Made { uris: texts[0].clone(), ..Made::default() },
            UriSource::RequestLine(_) => made_rows::of_requests(&texts[0])?,
            UriSource::Template(template) => made_rows::of_template(template, &texts)?,
        };
        let made = self.of_request.iter().map(|&at| of_request[at].clone());
        Ok(TableRows {
            uris,
            odd,
            bases: self.base.as_ref().map(|place| place.of(batch)).transpose()?,
            passthrough: made.chain(self.passthrough.iter().map(|&at| batch.column(at).clone())).collect(),
        })
    }

    /// The columns that are made of a request line.
    pub(crate) fn made(&self) -> impl Iterator<Item = FieldRef> {
        let field = |&at: &usize| Arc::new(arrow_schema::Field::new(OF_REQUEST[at], DataType::Utf8, true));
        self.of_request.iter().map(field)
    }
}

impl Place {
    /// The array. Where a struct is null, its fields are null.
    fn of(&self, batch: &RecordBatch) -> Result<ArrayRef, String> {
        let mut array = batch.column(self.column).clone();
        for &at in &self.within {
            let outer = array.as_struct();
            array = match outer.nulls() {
                None => outer.column(at).clone(),
                Some(nulls) => {
                    let is_null = BooleanArray::new(!nulls.inner(), None);
                    nullif(outer.column(at), &is_null).map_err(|error| error.to_string())?
                }
            };
        }
        Ok(array)
    }
}

/// The places of the reference, or of the columns that make it, and of its base.
pub(crate) struct Texts {
    source: UriSource,
    uris: Vec<Place>,
    base: Option<Place>,
}

pub(crate) fn texts(schema: &Schema, fields: &TableFields, table: &str) -> Result<Texts> {
    let Some(source) = &fields.uri else {
        return Err(Error::usage(format!(
            "which column of {table} holds the URI? Give {}: {}",
            OptionName::UriField.with("NAME"),
            candidates(schema)
        )));
    };
    let would_do = if source.template().is_some() { made_rows::is_part } else { holds_texts };
    let uris = source.fields()?;
    let uris = uris.iter().enumerate().map(|(number, field)| {
        place(field, schema, table, would_do).map_err(|error| source.about(number, error))
    });
    let uris = uris.collect::<Result<Vec<_>>>()?;
    let base = fields.base.as_ref().map(|field| place(field, schema, table, holds_texts)).transpose()?;
    if base.as_ref().is_some_and(|base| uris.contains(base)) {
        return Err(Error::usage("a column cannot be both the URI and its base: name another one"));
    }
    Ok(Texts { source: source.clone(), uris, base })
}

/// The place of a column: its name as it is; else a path through structs, with dots between; else its number.
fn place(field: &Field, schema: &Schema, table: &str, would_do: fn(&DataType) -> bool) -> Result<Place> {
    let all = schema.fields();
    let found = match field {
        Field::Number(number) if *number <= all.len() => {
            Some((Place { column: number - 1, within: Vec::new() }, all[number - 1].data_type()))
        }
        // A column's name may be a number; the numbers of existing columns take precedence.
        Field::Number(number) => by_name(&number.to_string(), all, table)?,
        Field::Name(name) => by_name(name, all, table)?,
    };
    let wants_texts = !would_do(&DataType::Null);
    let do_it = || if wants_texts { candidates(schema) } else { format!("its columns are {}", names(all)) };
    match found {
        Some((place, data_type)) if would_do(data_type) => Ok(place),
        Some((_, data_type)) => Err(Error::usage(format!(
            "the column {field} of {table} is {data_type}, which holds no URIs: {}",
            do_it()
        ))),
        None => {
            let meant = did_you_mean(&field.name(), all.iter().map(|field| field.name().as_str()));
            Err(Error::usage(format!("{table} has no column {field}{meant}: {}", do_it())))
        }
    }
}

fn by_name<'s>(name: &str, fields: &'s Fields, table: &str) -> Result<Option<(Place, &'s DataType)>> {
    let mut same = (0..fields.len()).filter(|&at| fields[at].name() == name);
    match (same.next(), same.next()) {
        (Some(first), Some(second)) => Err(Error::usage(format!(
            "{table} has {name:?} twice, as columns {} and {}: give the column's number",
            first + 1,
            second + 1
        ))),
        (Some(at), None) => Ok(Some((Place { column: at, within: Vec::new() }, fields[at].data_type()))),
        (None, _) => Ok(by_path(name, fields).map(|(path, data_type)| {
            let place = Place { column: path[0], within: path[1..].to_vec() };
            (place, data_type)
        })),
    }
}

/// A name, or a struct's name, a dot and the name of a field in it. Names may contain dots themselves.
fn by_path<'s>(path: &str, fields: &'s Fields) -> Option<(Vec<usize>, &'s DataType)> {
    for (at, field) in fields.iter().enumerate() {
        if field.name() == path {
            return Some((vec![at], field.data_type()));
        }
        let behind = path.strip_prefix(field.name().as_str()).and_then(|rest| rest.strip_prefix('.'));
        if let (Some(rest), DataType::Struct(within)) = (behind, field.data_type())
            && let Some((places, data_type)) = by_path(rest, within)
        {
            return Some((std::iter::once(at).chain(places).collect(), data_type));
        }
    }
    None
}

/// The logical type of a column of bytes, or of texts, if that changes how it is written.
fn meaning(field: &arrow_schema::Field) -> Option<&str> {
    field.extension_type_name().filter(|name| matches!(*name, UUID | JSON))
}

/// The columns that can hold URIs.
fn candidates(schema: &Schema) -> String {
    fn visit(prefix: &str, fields: &Fields, found: &mut Vec<Vec<u8>>) {
        for field in fields {
            let path = format!("{prefix}{}", field.name());
            match field.data_type() {
                DataType::Struct(within) => visit(&format!("{path}."), within, found),
                data_type if holds_texts(data_type) => found.push(path.into_bytes()),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    visit("", schema.fields(), &mut found);
    match found.is_empty() {
        true => format!("none of its columns holds texts; they are {}", names(schema.fields())),
        false => format!("columns of texts are {}", list(&found)),
    }
}

fn names(fields: &Fields) -> impl Display {
    list(&fields.iter().map(|field| field.name().clone().into_bytes()).collect::<Vec<_>>())
}
