//! The columns of the table, urimill's own and those of the records' other fields, and their order: the option
//! `columns`. The fields are known before the inputs are read only if the format has fixed fields.

use urimill_base::error::{Error, Result, did_you_mean};
use urimill_columns::batch::{Column, Columns, ExtraColumns, FIELD_ERRORS, FurtherUri};
use urimill_read::format::Keep;

use super::input_format::InputFormat;

/// The columns of a table as the caller asks for them.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnList {
    /// urimill's own columns.
    pub(super) own: Columns,
    /// If the list has only names without signs: all of them, in order.
    listed: Option<Vec<String>>,
    /// Fields with `+` before them, and with `-`.
    added: Vec<String>,
    dropped: Vec<String>,
    /// Further URIs: the columns of their fields, and the columns of each.
    pub(super) further: Vec<(String, Columns)>,
}

/// The name of one of urimill's columns, or of the column of faults.
pub(super) fn is_own(name: &str) -> bool {
    Column::ALL.iter().any(|column| column.as_str() == name)
}

impl ColumnList {
    /// Reads a list that changes `default`: see [`Columns::changed`]; other names are fields. `further` are the columns
    /// of the fields with further URIs.
    ///
    /// # Errors
    /// Usage, if neither urimill nor the format has a column of a name, and as [`Columns::parse`].
    pub(super) fn parse(
        list: Option<&str>,
        format: InputFormat,
        default: Columns,
        further: &[String],
    ) -> Result<ColumnList> {
        let asked: Vec<&str> =
            list.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let of_further = |name: &str| further_column(name.trim_start_matches(['+', '-']), further);
        let names: Vec<&str> = asked.iter().filter(|name| of_further(name).is_none()).copied().collect();
        let is_exact = !asked.is_empty() && !asked.iter().any(|name| name.starts_with(['+', '-']));
        let mut found = match names.is_empty() {
            true if list.is_some() && asked.is_empty() => ColumnList::of_first("", format, default)?,
            // The list has only columns of further URIs.
            true if is_exact => ColumnList { own: Columns::new([]), ..ColumnList::default() },
            true => ColumnList { own: default, ..ColumnList::default() },
            false => ColumnList::of_first(&names.join(","), format, default)?,
        };
        if !further.is_empty() && is_exact {
            found.listed = Some(asked.iter().map(|&name| name.to_owned()).collect());
        }
        for field in further {
            let of_field = |name: &&&str| of_further(name).is_some_and(|(own, _)| own == field);
            let mut columns: Vec<Column> = match is_exact {
                true => Vec::new(),
                false => FurtherUri::default_columns().iter().collect(),
            };
            for name in asked.iter().filter(of_field) {
                let Some((_, column)) = of_further(name) else { continue };
                match (name.starts_with('-'), columns.contains(&column)) {
                    (true, _) => columns.retain(|&other| other != column),
                    (false, true) if is_exact => {
                        return Err(Error::usage(format!("the column {name:?} is named twice")));
                    }
                    (false, true) => {}
                    (false, false) => columns.push(column),
                }
            }
            found.further.push((field.clone(), Columns::new(columns)));
        }
        Ok(found)
    }

    /// urimill's columns of the first URI, and columns of fields.
    fn of_first(list: &str, format: InputFormat, default: Columns) -> Result<ColumnList> {
        let names = || list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let bare = |name: &str| name.trim_start_matches(['+', '-']).to_owned();
        let fields: Vec<String> = names().map(bare).filter(|name| !is_own(name)).collect();
        if fields.is_empty() {
            let is_exact = !names().any(|name| name.starts_with(['+', '-']));
            let listed = is_exact.then(|| names().map(bare).collect());
            return Ok(ColumnList { own: default.changed(list)?, listed, ..ColumnList::default() });
        }
        let known = Some(format.fields()).filter(|known| !known.is_empty());
        let is_known = |name: &&String| {
            *name == FIELD_ERRORS
                || known.is_none_or(|known| known.iter().any(|field| field.name == name.as_str()))
        };
        if let Some(name) = fields.iter().find(|name| !format.has_fields() || !is_known(name)) {
            let fields = known.into_iter().flatten().map(|field| field.name).collect::<Vec<_>>().join(", ");
            let fields =
                if fields.is_empty() { fields } else { format!(", or a field of {format}: {fields}") };
            return Err(no_column(name, &fields));
        }
        let signed = names().filter(|name| name.starts_with(['+', '-'])).count();
        if signed > 0 && signed < names().count() {
            return Err(Error::usage(
                "names with + or - change the default table: use a sign for all names or for none",
            ));
        }
        let twice = fields.iter().enumerate().find(|&(at, name)| fields[..at].contains(name));
        if let Some((_, name)) = twice {
            return Err(Error::usage(format!("the column {name:?} is named twice")));
        }
        let own = names().filter(|name| is_own(&bare(name))).collect::<Vec<_>>().join(",");
        let with = |sign: char| -> Vec<String> {
            names().filter(|name| name.starts_with(sign)).map(bare).filter(|name| !is_own(name)).collect()
        };
        Ok(ColumnList {
            own: match (own.is_empty(), signed) {
                (true, 0) => Columns::new([]),
                (true, _) => default,
                (false, _) => default.changed(&own)?,
            },
            listed: (signed == 0).then(|| names().map(bare).collect()),
            added: with('+'),
            dropped: with('-'),
            further: Vec::new(),
        })
    }

    /// The fields that must be read; `asked` is the option `keep`. If it asks for all, the field of the `base` is one
    /// of them.
    pub(super) fn keep(&self, asked: Option<&Keep>, base: Option<&str>) -> Keep {
        let listed = self.listed.iter().flatten().filter(|name| !self.is_own(name));
        let wanted: Vec<String> =
            listed.chain(&self.added).filter(|name| *name != FIELD_ERRORS).map(|name| field(name)).collect();
        let default = if self.listed.is_none() || self.names_faults_alone() { Keep::All } else { Keep::None };
        let base = base.filter(|_| asked == Some(&Keep::All)).map(str::to_owned);
        let fields: Vec<String> = self.further.iter().map(|(column, _)| field(column)).chain(base).collect();
        let keep = match asked.unwrap_or(&default) {
            keep @ (Keep::All | Keep::AllWith(_) | Keep::AllWithOptional(_) | Keep::AnyOf(_)) => keep.clone(),
            Keep::Names(names) => {
                let more = wanted.into_iter().filter(|name| !names.contains(name));
                Keep::Names(names.iter().cloned().chain(more).collect())
            }
            Keep::None if wanted.is_empty() => Keep::None,
            Keep::None => Keep::Names(wanted),
        };
        keep.with(&fields)
    }

    fn names_faults_alone(&self) -> bool {
        let mut fields = self.listed.iter().flatten().filter(|name| !self.is_own(name)).peekable();
        fields.peek().is_some() && fields.all(|name| name == FIELD_ERRORS)
    }

    /// Whether a column is urimill's, of the first URI or of a further one.
    fn is_own(&self, name: &str) -> bool {
        let is = |(field, columns): &(String, Columns)| {
            name.strip_prefix(field.as_str())
                .and_then(|rest| rest.strip_prefix('_'))
                .is_some_and(|rest| columns.iter().any(|column| column.as_str() == rest))
        };
        is_own(name) || self.further.iter().any(is)
    }

    /// The names of the columns of further URIs.
    fn further_names(&self) -> impl Iterator<Item = String> + '_ {
        let names = |(field, columns): &'_ (String, Columns)| {
            columns.iter().map(|column| format!("{field}_{}", column.as_str())).collect::<Vec<_>>()
        };
        self.further.iter().flat_map(names)
    }

    /// The positions, in order, of the requested columns in a table with the columns `own`, then those of `kept`;
    /// `None` for all of them unchanged. `asked` is the option `keep`. The columns of tables always come last.
    ///
    /// # Errors
    /// Usage, if there is no column of a name.
    pub(super) fn order(&self, extra: &ExtraColumns, asked: Option<&Keep>) -> Result<Option<Vec<usize>>> {
        let names_field =
            |names: &[String]| names.iter().any(|name| !is_own(name)) || !self.further.is_empty();
        let is_plain = !self.listed.as_deref().is_some_and(names_field);
        if !extra.passthrough().is_empty() || is_plain && self.added.is_empty() && self.dropped.is_empty() {
            return Ok(None);
        }
        let fields: Vec<&str> = extra.fields().iter().map(|field| field.name.as_str()).collect();
        let further: Vec<String> = self.further_names().collect();
        let mut all: Vec<&str> = self.own.iter().map(Column::as_str).collect();
        all.extend(further.iter().map(String::as_str));
        let own = all.len();
        all.extend(&fields);
        all.extend((extra.width() > 0).then_some(FIELD_ERRORS));
        let find = |name: &String| {
            let fields = fields.join(", ");
            let fields = if fields.is_empty() { fields } else { format!(", or a field: {fields}") };
            all.iter().position(|own| own == name).ok_or_else(|| no_column(name, &fields))
        };
        if let Some(listed) = &self.listed {
            let mut order = listed.iter().map(find).collect::<Result<Vec<_>>>()?;
            if asked.is_some_and(|keep| *keep != Keep::None) {
                order.extend((own..all.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
            }
            return Ok(Some(order));
        }
        self.added.iter().map(find).collect::<Result<Vec<_>>>()?;
        let dropped = self.dropped.iter().map(find).collect::<Result<Vec<_>>>()?;
        Ok(Some((0..all.len()).filter(|at| !dropped.contains(at)).collect()))
    }
}

/// The field of a column: a field with the name of one of urimill's columns has another name in the table.
pub(super) fn field(column: &str) -> String {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    column.strip_prefix("field_").filter(|rest| is_own(rest) || is_number(rest)).unwrap_or(column).to_owned()
}

/// The column of a further URI with this name: the column of its field, and the column of the URI.
fn further_column<'a>(name: &str, further: &'a [String]) -> Option<(&'a String, Column)> {
    let column = |field: &str| {
        let rest = name.strip_prefix(field)?.strip_prefix('_')?;
        Column::ALL.into_iter().find(|&column| column.as_str() == rest && FurtherUri::may_have(column))
    };
    further.iter().find_map(|field| column(field).map(|column| (field, column)))
}

/// The column of a field: a field with the name of one of urimill's columns, or with only a number, has another name in
/// the table.
pub(super) fn column_of(field: &str) -> String {
    let is_number = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || is_own(field) { format!("field_{field}") } else { field.to_owned() }
}

pub(super) fn no_column(name: &str, fields: &str) -> Error {
    let own: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
    let known = own.iter().copied().chain(fields.split([' ', ',', ':']));
    let meant = did_you_mean(name, known);
    Error::usage(format!("there is no column {name:?}{meant}: choose from {}{fields}", own.join(", ")))
}
