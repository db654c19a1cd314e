//! Format files: the definition of a log in TOML, with samples of its lines. The files of urimill are in the folder
//! `formats`; a user gives others.

mod model;
mod values;

use urimill_base::error::{Error, Result};

use crate::definition::{Definition, Dialect, Form, Header, HeaderKind, Writer};
use crate::escapes::Escapes;
use crate::forms::Values;
use crate::notation::Notation;
use crate::pattern::Pattern;
use crate::shape::Shape;
use model::{Checked, Escaping, Fault, File, Kind, PairForm, Text, Written};

pub use model::{Refused, Sample};

/// A value that lives as long as the process, as definitions do.
fn leak<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

fn text(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn texts<'t>(all: impl IntoIterator<Item = &'t Text>) -> &'static [&'static str] {
    leak(all.into_iter().map(|one| text(one.get_ref())).collect())
}

/// The definition of a file of urimill.
///
/// # Errors
/// The fault of the file.
pub(crate) fn built_in(file: &'static str) -> Result<Definition> {
    // The samples take most of a file, and only tests and help texts read them.
    let samples = ["\n[[sample]]", "\n[[refused]]"].iter().filter_map(|mark| file.find(mark)).min();
    let head = &file[..samples.map_or(file.len(), |at| at + 1)];
    let read = File::of(head).map_err(|fault| at_place("a format of urimill", head, &fault))?;
    definition(&read, file).map_err(|fault| at_place(&read.name.get_ref().clone(), head, &fault))
}

/// The definition of a user's file, which messages call `name`.
///
/// # Errors
/// Usage: the line and the column of the file's first fault, and what is allowed there; also if `is_taken` says that the
/// name of the format is another's.
pub(crate) fn given(name: &str, file: &str, is_taken: impl Fn(&str) -> bool) -> Result<Definition> {
    let in_place = |fault: Fault| at_place(name, file, &fault);
    let read = File::of(file).map_err(in_place)?;
    if is_taken(read.name.get_ref()) {
        let taken = format!("urimill has a format {:?}: choose another name", read.name.get_ref());
        return Err(in_place(Fault(read.name.span(), taken)));
    }
    read.check_samples().map_err(in_place)?;
    definition(&read, text(file)).map_err(in_place)
}

/// The samples of the file `text`, which error messages call `name`.
///
/// # Errors
/// Usage: the first fault of the file.
pub fn samples(name: &str, text: &str) -> Result<(Vec<Sample>, Vec<Refused>)> {
    let file = File::of(text).map_err(|fault| at_place(name, text, &fault))?;
    Ok((file.sample, file.refused))
}

/// An error with its place in a file.
fn at_place(name: &str, file: &str, Fault(place, what): &Fault) -> Error {
    let before = &file[..place.start.min(file.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Error::usage(format!("{name}:{line}:{column}: {what}"))
}

fn definition(file: &File, whole: &'static str) -> Checked<Definition> {
    file.check_name()?;
    let values = file.values.iter().map(|(name, value)| {
        let form = value.get_ref().form().map_err(|why| Fault(value.span(), why))?;
        Ok((text(name), form))
    });
    let values: Values = leak(values.collect::<Checked<Vec<_>>>()?);
    let form = match file.kind {
        Kind::Lines => lines(file, values)?,
        Kind::Json => objects(file, values)?,
        Kind::Pairs => pairs(file, values)?,
        Kind::W3c | Kind::Zeek | Kind::Csv => named(file, values)?,
    };
    let escapes = match (file.escapes, file.kind) {
        (Escaping::None, Kind::Pairs) if file.pairs != PairForm::Words => Escapes::Event,
        (Escaping::None, _) | (_, Kind::Json) => Escapes::None,
        (Escaping::Backslash, _) => Escapes::Backslash,
        (Escaping::Percent, _) => Escapes::Percent,
        (Escaping::Zeek, _) => Escapes::Zeek,
        (Escaping::Hash, _) => Escapes::Hash,
        (Escaping::Html, _) => Escapes::Html,
    };
    Ok(Definition {
        name: text(file.name.get_ref()),
        about: text(&file.title),
        form,
        escapes,
        values,
        before: leak(file.before.iter().map(|name| text(name)).collect()),
        file: whole,
    })
}

/// The forms of lines.
fn lines(file: &File, values: Values) -> Checked<Form> {
    file.allow(&["lines", "ways", "written", "escapes", "values"])?;
    if file.lines.is_empty() {
        return Err(Fault(
            file.name.span(),
            "kind = \"lines\" needs `lines`: the forms that lines have".into(),
        ));
    }
    let writer = match file.written {
        Written::Escaped => Writer::Escapes,
        Written::Raw => Writer::Raw,
        Written::Padded => Writer::Pads,
    };
    let mut shape = Shape::with_values(values);
    let forms = forms(file, writer, &mut shape)?;
    makes_uri(file, &shape)?;
    Ok(Form::Lines(writer, forms))
}

/// The forms of `lines`, with each of the `ways`.
fn forms(file: &File, writer: Writer, shape: &mut Shape) -> Checked<&'static [&'static str]> {
    let values = shape.values();
    let mut forms = Vec::new();
    for line in &file.lines {
        for form in file.written_out(line)? {
            let fault = |what: String| Fault(line.span(), what);
            let (parts, ..) = Pattern::parts(&form).map_err(|error| fault(error.to_string()))?;
            for field in parts.iter().map(|part| &*part.field) {
                if let Some(why) = Notation::of(field).fault(values) {
                    return Err(fault(format!("{{{field}}}: {why}")));
                }
            }
            Pattern::new(&form, writer, shape).map_err(|error| fault(error.to_string()))?;
            forms.push(text(&form));
        }
    }
    Ok(leak(forms))
}

fn objects(file: &File, values: Values) -> Checked<Form> {
    file.allow(&["told_by", "fields", "escapes", "values"])?;
    if file.told_by.is_empty() {
        let why = "kind = \"json\" needs `told_by`: the members by which an object of the format is told";
        return Err(Fault(file.name.span(), why.into()));
    }
    let fields = fields(file, Shape::with_values(values))?;
    let has_more_escapes = file.escapes == Escaping::Backslash;
    Ok(Form::Objects { detected_by: texts(&file.told_by), fields, has_more_escapes })
}

fn pairs(file: &File, values: Values) -> Checked<Form> {
    file.allow(&["told_by", "fields", "lines", "ways", "separator", "assign", "pairs", "escapes", "values"])?;
    if file.told_by.is_empty() || file.told_by.len() > 32 {
        let why =
            "kind = \"pairs\" needs `told_by`: the names by which a line of the format is told, 32 at most";
        return Err(Fault(file.name.span(), why.into()));
    }
    let mut shape = Shape::with_values(values);
    let lead = forms(file, Writer::Raw, &mut shape)?;
    let fields = fields(file, shape)?;
    let dialect = match file.pairs {
        PairForm::Words => Dialect::Words { separator: file.separator()?, assign: file.assign()? },
        PairForm::Cef => Dialect::Cef,
        PairForm::Leef => Dialect::Leef,
    };
    Ok(Form::Pairs { dialect, lead, detected_by: texts(&file.told_by), fields })
}

fn named(file: &File, values: Values) -> Checked<Form> {
    file.allow(&["told_by", "fields", "orders", "separator", "escapes", "values"])?;
    let fields = fields(file, Shape::with_values(values))?;
    let mut orders = Vec::new();
    for order in &file.orders {
        let counts = order.first.as_deref().unwrap_or(&[]);
        let whole = [order.names.len()];
        for &count in if counts.is_empty() { &whole } else { counts } {
            if count == 0 || count > order.names.len() {
                let why =
                    format!("`first` counts names, of which there are {}, not {count}", order.names.len());
                return Err(Fault(file.name.span(), why));
            }
            orders.push(texts(&order.names[..count]));
        }
    }
    if file.kind == Kind::Csv && file.told_by.is_empty() {
        let why = "kind = \"csv\" needs `told_by`: the names by which a header of the format is told";
        return Err(Fault(file.name.span(), why.into()));
    }
    let header =
        Header { detected_by: texts(&file.told_by), orders: leak(orders), separator: file.separator()? };
    let header: &'static Header = Box::leak(Box::new(header));
    let head = match file.kind {
        Kind::Csv => HeaderKind::Csv(header),
        Kind::Zeek => HeaderKind::Zeek(header),
        _ => HeaderKind::Extended(header),
    };
    Ok(Form::Named { head, fields })
}

/// The fields by the names that a log has for them.
fn fields(file: &File, mut shape: Shape) -> Checked<crate::definition::Fields> {
    let values = shape.values();
    let mut fields = Vec::new();
    for (name, field) in &file.fields.0 {
        if let Some(why) = Notation::of(field.get_ref()).fault(values) {
            return Err(Fault(field.span(), why));
        }
        shape.field(field.get_ref());
        fields.push((text(name), text(field.get_ref())));
    }
    makes_uri(file, &shape)?;
    Ok(leak(fields))
}

/// Checks that some field is the URI, or a part of it that makes one.
fn makes_uri(file: &File, shape: &Shape) -> Checked<()> {
    let roles = &shape.roles;
    match roles.request.or(roles.target).or(roles.path) {
        Some(_) => Ok(()),
        None => {
            let why =
                "no field makes the URI: one is `request`, `url` or `path`, or has such a kind (`:url`)";
            Err(Fault(file.name.span(), why.into()))
        }
    }
}
