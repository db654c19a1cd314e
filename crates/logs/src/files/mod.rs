//! Format files: the definition of a log in TOML, with samples of its lines. The files of urimill are in the folder
//! `formats`; a user gives others.

pub(crate) mod make;
mod model;
mod values;

use urimill_base::error::{Error, Result};

use crate::around_pairs::{Around, halves};
use crate::definition::{Definition, Form, Writer};
use crate::notation::Notation;
use crate::pairs::is_form;
use crate::pattern::Pattern;
use crate::shape::Shape;
use model::{Checked, Fault, File};

pub use model::{Refused, Sample};

/// The definition of a user's file, which messages call `name`.
///
/// # Errors
/// Usage: the line and the column of the file's first fault, and what is allowed there; also if `is_taken` says that the
/// name of the format is another's.
pub(crate) fn given(name: &str, file: &str, is_taken: impl Fn(&str) -> bool) -> Result<Definition> {
    let whole: &'static str = file.to_owned().leak();
    checked(whole, is_taken).map_err(|fault| Error::usage(fault.in_file(name, file)))
}

/// The definition of a file, every part of which has been looked at.
pub(crate) fn checked(file: &'static str, is_taken: impl Fn(&str) -> bool) -> Checked<Definition> {
    let (file, definition) = make::definition(file)?;
    if is_taken(definition.name) {
        let taken = format!("urimill has a format {:?}: choose another name", definition.name);
        return Err(Fault(file.name.span(), taken));
    }
    file.check_samples()?;
    check(&file, &definition)?;
    Ok(definition)
}

/// The samples of the file `text`, which error messages call `name`.
///
/// # Errors
/// Usage: the first fault of the file.
pub fn samples(name: &str, text: &str) -> Result<(Vec<Sample>, Vec<Refused>)> {
    let file = File::of(text).map_err(|fault| Error::usage(fault.in_file(name, text)))?;
    Ok((file.sample, file.refused))
}

/// Checks that the fields are ones, and that one of them makes the URI.
fn check(file: &File, definition: &Definition) -> Checked<()> {
    let mut shape = Shape::of(definition);
    let writer = match definition.form {
        Form::Lines(writer, _) => writer,
        _ => Writer::Raw,
    };
    let is_pairs = matches!(definition.form, Form::Pairs { .. });
    for line in &file.lines {
        for whole in file.written_out(line)? {
            let (form, tail) = if is_pairs { halves(&whole) } else { (&*whole, None) };
            for part in [Some(form), tail].into_iter().flatten() {
                check_form(part, writer, definition, &mut shape).map_err(|what| Fault(line.span(), what))?;
            }
            if is_pairs {
                Around::new(&whole, &mut shape).map_err(|error| Fault(line.span(), error.to_string()))?;
            }
        }
    }
    for (_, field) in &file.fields.0 {
        let (own, fault) = (field.get_ref(), |what: String| Fault(field.span(), what));
        if is_pairs && is_form(own) {
            check_form(own, writer, definition, &mut shape).map_err(fault)?;
            continue;
        }
        if let Some(why) = Notation::of(own).fault(definition.values) {
            return Err(fault(why));
        }
        shape.field(own);
    }
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

/// Checks a form with its fields, or says what is wrong with it.
fn check_form(
    form: &str,
    writer: Writer,
    definition: &Definition,
    shape: &mut Shape,
) -> std::result::Result<(), String> {
    let (parts, ..) = Pattern::parts(form).map_err(|error| error.to_string())?;
    for field in parts.iter().map(|part| &*part.field) {
        if let Some(why) = Notation::of(field).fault(definition.values) {
            return Err(format!("{{{field}}}: {why}"));
        }
    }
    Pattern::new(form, writer, shape).map(|_| ()).map_err(|error| error.to_string())
}
