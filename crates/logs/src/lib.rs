//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! The logs of servers, proxies, clouds and crawlers by definition: `table` has a row for each format, `shape` gives
//! its columns and the fields of its URIs, and four engines read it: `pattern` (fields in fixed places), `named` (a
//! header names them), `objects` (JSON), `access` (the forms of web servers, which are too many for patterns). Wrappers
//! around the lines are removed first (`wrappers`); `detect` finds the definition of an input.

pub mod access;
mod around_pairs;
mod check;
mod definition;
mod describe;
pub mod detect;
mod dictionary;
#[cfg(test)]
mod document;
mod elements;
mod escapes;
mod files;
mod fitting;
mod format;
mod forms;
mod found;
mod guess;
mod headed;
pub mod host;
mod known_forms;
mod leads;
mod lists;
mod named;
mod notation;
mod nulls;
mod objects;
mod pairs;
mod pattern;
mod read;
mod roles;
mod saved;
mod secure;
mod shape;
mod state;
mod step;
mod table;
mod tail;
mod target;
mod units;
mod unwrap;
mod vocabulary;
mod ways;
mod wrappers;

use std::sync::Arc;

use urimill_base::error::{Error, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{ExtraColumns, Kind};
use urimill_read::format::format_row::FormatRow;
use urimill_read::format::keep::Keep;
use urimill_read::format::template::Template;
use urimill_read::format::{Asked, Format};

use check::Check;
use definition::{Definition, Escapes, Form, HeaderKind};
use describe::{Described, LineForm};
use named::Slots;
use objects::Tree;
use pairs::Pairs;
use pattern::Pattern;
use roles::Slot;
use shape::{Chosen, Shape};

pub use detect::{
    Detected, Guessed, detect, detect_as, detect_given, detect_objects, detect_within, nearest_given,
};
pub use files::{Refused, Sample, samples};
pub use guess::{ABOUT as GUESSED_ABOUT, NAME as GUESSED};
pub use saved::quoted;
pub use shape::{LOG_HOST, LOG_TIME};
pub use wrappers::Unwrap;
use wrappers::Wrapper;

/// A log that a definition describes.
#[derive(Debug, Clone)]
pub struct Log {
    definition: &'static Definition,
    engine: Engine,
    shape: Arc<Shape>,
    /// The columns, in order.
    chosen: Arc<[Chosen]>,
    /// The slots of addresses that may have ports after them.
    endpoints: Arc<[Slot]>,
    extra: ExtraColumns,
    keep: Keep,
    /// Columns that the run names beside `keep`: see [`Asked::named`].
    named: Vec<String>,
    /// The wrappers around each line, the outermost first.
    wrappers: Arc<[Wrapper]>,
    /// Which of them are removed.
    unwrap: Unwrap,
    /// Whether most of the lines within wrappers begin with an address.
    begins_with_client: bool,
    /// The fields of a format string.
    described: Option<Arc<Described>>,
    /// The template of the URI, if the user gives one.
    template: Option<Arc<Template>>,
    /// First lines, if the definition was made in the run.
    samples: Arc<[String]>,
    /// The longest record that is held whole.
    longest: usize,
}

/// The engine that reads a line.
#[derive(Debug, Clone)]
enum Engine {
    Lines(Arc<[Pattern]>),
    Objects(Arc<Tree>),
    Pairs(Arc<Pairs>),
    Named(HeaderKind, Arc<Slots>),
    Clf,
}

/// The names of the formats, and their descriptions.
pub fn log_formats() -> impl Iterator<Item = (&'static str, &'static str)> {
    table::BUILT_IN.iter().map(|definition| (definition.name, definition.about))
}

/// The properties that all logs share.
const ROW: FormatRow =
    FormatRow { takes: &[&[OptionName::UriTemplate, OptionName::Unwrap]], reader, ..FormatRow::TEXT };

/// A log that a format string describes.
pub const DESCRIBED: FormatRow = FormatRow {
    name: table::DESCRIBED.name,
    meaning: table::DESCRIBED.about,
    reader: |_, asked| {
        let format = asked.log_format.as_deref().unwrap_or_default();
        let log = Log::described(format, asked.template(), &asked.keep)?;
        Ok(Log { unwrap: unwrap_of(asked)?, longest: asked.longest, ..log }.into())
    },
    ..ROW
};

/// The rows of the formats.
pub fn rows() -> impl Iterator<Item = FormatRow> {
    log_formats().map(|(name, meaning)| FormatRow { name, meaning, ..ROW })
}

/// The row of the format that the file `text` defines; error messages call the file `name`.
///
/// # Errors
/// Usage: the line and the column of the file's first fault, and what is allowed there.
pub fn row_of_file(name: &str, text: &str) -> Result<FormatRow> {
    let definition = table::given(name, text)?;
    Ok(FormatRow { name: definition.name, meaning: definition.about, definition: definition.file, ..ROW })
}

/// The file that defines the format `name`, with its samples; formats without one have code of their own.
pub fn file_of(name: &str) -> Option<&'static str> {
    table::BUILT_IN.iter().find(|own| own.name == name).map(|own| own.file)
}

fn reader(format: &FormatRow, asked: &Asked) -> Result<Format> {
    let definition = match format.definition {
        "" => table::find(format.name).unwrap_or(&table::CLF),
        file => table::given(format.name, file)?,
    };
    let log = Log::of(definition, &[], false, &asked.keep)?;
    let unwrap = unwrap_of(asked)?;
    let (named, longest) = (asked.named.clone(), asked.longest);
    Ok(Log { named, template: asked.template(), unwrap, longest, ..log }.into())
}

/// Which wrappers a user wants to be removed.
fn unwrap_of(asked: &Asked) -> Result<Unwrap> {
    asked.unwrap.as_deref().map_or_else(|| Ok(Unwrap::default()), str::parse)
}

/// The columns of the other fields that the log `name` has, with their types. If a header names the fields, these are
/// the known fields; other fields get a column of text each.
pub fn log_columns(name: &str) -> Option<Vec<(String, Kind)>> {
    columns_of(table::find(name)?)
}

/// The same for the format of a row, with the meaning that the dictionary has for a name.
pub fn fields_of(format: &FormatRow) -> Option<Vec<(String, Kind, &'static str)>> {
    let definition = match format.definition {
        "" => table::find(format.name)?,
        file => table::given(format.name, file).ok()?,
    };
    let with_meaning = |(name, kind): (String, Kind)| {
        let meaning = dictionary::meaning(&name);
        (name, kind, meaning)
    };
    Some(columns_of(definition)?.into_iter().map(with_meaning).collect())
}

fn columns_of(definition: &'static Definition) -> Option<Vec<(String, Kind)>> {
    let mut shape = Shape::of(definition);
    let shape = match &definition.form {
        Form::Named { fields, .. } => {
            fields.iter().for_each(|(_, field)| {
                shape.field(field);
            });
            shape.with_extra();
            &shape
        }
        _ => &*Log::of(definition, &[], false, &Keep::All).ok()?.shape,
    };
    let (extra, _) = shape.chosen(&Keep::All, definition.name).ok()?;
    Some(extra.fields().iter().map(|field| (field.name.clone(), field.kind)).collect())
}

/// Whether a header names the fields of the log `name`.
pub fn has_named_fields(name: &str) -> bool {
    table::find(name).is_some_and(Definition::is_named)
}

impl Log {
    /// The log that a server's format string describes, as it is in a configuration, or a nickname of one (`combined`).
    ///
    /// # Errors
    /// Usage, if the string has a fault ([`Error::marked`] says where), or if no field has a name. With `template`,
    /// which makes the URI, the format need not name a request.
    fn described(format: &str, template: Option<Arc<Template>>, keep: &Keep) -> Result<Log> {
        let described = describe::describe(format, template.is_some())?;
        Ok(Log { template, ..Log::of_parts(&described, false, keep)? })
    }

    /// Finds the fields of the template in the log `source`, which begins with `first`.
    fn making(mut self, template: Option<Arc<Template>>, first: &[u8], source: &str) -> Result<Log> {
        let Some(template) = template.filter(|_| !first.is_empty()) else { return Ok(self) };
        let find = |(number, name): (usize, &str)| {
            let own = match &self.engine {
                Engine::Named(_, slots) => slots.find(name),
                _ => None,
            };
            own.or_else(|| self.shape.find(name)).ok_or_else(|| {
                let mut known = match &self.engine {
                    Engine::Named(_, slots) => slots.names(),
                    _ => Vec::new(),
                };
                known.extend(self.shape.names().filter(|name| !known.contains(name)).collect::<Vec<_>>());
                let meant = did_you_mean(name, known.iter().map(|name| &**name));
                let error =
                    format!("{source} has no field {name:?}{meant}: its fields are {}", known.join(", "));
                template.about(number, Error::usage(error))
            })
        };
        let slots = template.names().enumerate().map(find).collect::<Result<Vec<Slot>>>()?;
        Arc::make_mut(&mut self.shape).made = Some((template.clone(), slots.into()));
        self.template = Some(template);
        Ok(self)
    }

    fn of_parts(described: &Described, unwraps: bool, keep: &Keep) -> Result<Log> {
        let mut shape = Shape::described();
        // Each field has an end: the description has been checked for that.
        let pattern =
            |form: &LineForm| Pattern::of(&form.parts, &form.tail, &[], described.writer, &mut shape);
        let mut patterns: Vec<Pattern> = described.forms.iter().filter_map(pattern).collect();
        Pattern::share(&mut patterns);
        let engine = (Engine::Lines(patterns.into()), shape, described.escapes);
        let log = Log::with_engine(&table::DESCRIBED, engine, unwraps, keep)?;
        Ok(Log { described: Some(Arc::new(described.clone())), ..log })
    }

    /// With the names of a header, where the format has one.
    fn of(definition: &'static Definition, names: &[String], unwraps: bool, keep: &Keep) -> Result<Log> {
        let mut shape = Shape::of(definition);
        let engine = match &definition.form {
            Form::Lines(writer, forms) => {
                let patterns = forms.iter().map(|form| Pattern::new(form, *writer, &mut shape));
                let mut patterns = patterns.collect::<Result<Vec<_>>>()?;
                Pattern::share(&mut patterns);
                Engine::Lines(patterns.into())
            }
            Form::Objects { detected_by, fields, .. } => {
                let tree = Tree::new(fields, detected_by, &mut shape);
                shape.has_addresses();
                shape.with_extra();
                Engine::Objects(Arc::new(tree))
            }
            Form::Pairs { dialect, lead, detected_by, fields } => {
                let pairs = Pairs::new((*dialect, lead), detected_by, fields, &mut shape);
                shape.with_extra();
                Engine::Pairs(Arc::new(pairs))
            }
            Form::Named { head, .. } => {
                let known: Vec<String> = match head.orders() {
                    [known, ..] if names.is_empty() => named::owned(known),
                    _ => names.to_vec(),
                };
                Engine::Named(*head, Arc::new(Slots::new(definition, &known, &mut shape)))
            }
            Form::Clf => {
                shape = access::shape(!unwraps);
                Engine::Clf
            }
            // See `Log::described`.
            Form::Described => Engine::Lines(Arc::default()),
        };
        // CloudFront's fields have its escapes, whichever format names them.
        let is_cloudfront = names.iter().any(|name| name.starts_with("x-edge-"));
        let escapes = if is_cloudfront { Escapes::Percent } else { definition.escapes };
        // The names of a header are not known yet, so any name may be right.
        let is_open = matches!(engine, Engine::Named(..)) && names.is_empty();
        let known = if is_open && matches!(keep, Keep::Names(_)) { &Keep::None } else { keep };
        let log = Log::with_engine(definition, (engine, shape, escapes), unwraps, known)?;
        Ok(Log { keep: keep.clone(), ..log })
    }

    /// With these escapes.
    fn with_engine(
        definition: &'static Definition,
        (engine, mut shape, escapes): (Engine, Shape, Escapes),
        unwraps: bool,
        keep: &Keep,
    ) -> Result<Log> {
        shape.with_surroundings(unwraps, keep);
        shape.with_escapes(escapes);
        let (extra, chosen) = shape.chosen(keep, definition.name)?;
        Ok(Log {
            definition,
            engine,
            chosen,
            endpoints: endpoints(&shape),
            shape: Arc::new(shape),
            extra,
            keep: keep.clone(),
            named: Vec::new(),
            wrappers: Arc::default(),
            unwrap: Unwrap::default(),
            begins_with_client: false,
            described: None,
            template: None,
            samples: Arc::default(),
            longest: 0,
        })
    }

    /// The result of detection.
    ///
    /// # Errors
    /// The errors of [`RecordFormat::begin`](urimill_read::format::RecordFormat::begin).
    pub fn detected(
        detected: Detected,
        asked: &Asked,
        template: Option<Arc<Template>>,
        (first, source): (&[u8], &str),
    ) -> Result<Log> {
        let mut log = Log::of(detected.definition, &[], detected.unwraps(), &asked.keep)?;
        (log.template, log.wrappers, log.longest) = (template, detected.wrappers.into(), asked.longest);
        log.look_at(first, source)?;
        Ok(log)
    }

    /// Finds the wrappers around the lines, and the fields that a header names.
    fn look_at(&mut self, first: &[u8], source: &str) -> Result<()> {
        if let (Some(described), Engine::Lines(patterns)) = (self.described.clone(), &self.engine) {
            let wrappers = detect::around_described(patterns, first, &self.unwrap);
            self.unwrap.check(&wrappers, first, source)?;
            let log = Log::of_parts(&described, wrappers.iter().any(Wrapper::is_text), &self.keep)?;
            let log = log.making(self.template.take(), first, source)?;
            let samples = saved::samples(detect::within(first, &wrappers)).into();
            let (unwrap, longest) = (self.unwrap.clone(), self.longest);
            *self = Log { wrappers: wrappers.into(), unwrap, longest, samples, ..log };
            return Ok(());
        }
        let wrappers = match self.wrappers.is_empty() {
            true => detect::around(self.definition, first, &self.unwrap).into(),
            false => self.wrappers.clone(),
        };
        self.unwrap.check(&wrappers, first, source)?;
        let names = match self.engine {
            Engine::Named(..) if first.is_empty() => self.names_of_empty()?,
            Engine::Named(head, _) => head.first(first).map_or(Vec::new(), |(names, _)| names),
            _ => Vec::new(),
        };
        if let Engine::Named(head, _) = self.engine
            && (names.is_empty() || head.is_csv() && !named::knows_any(self.definition, &names))
            && head.orders().is_empty()
            && !first.is_empty()
        {
            return Err(no_header(self.definition, head, source));
        }
        let samples = match self.is_made() {
            true => saved::samples(detect::within(first, &wrappers)).into(),
            false => Arc::default(),
        };
        let unwraps = wrappers.iter().any(Wrapper::is_text);
        let log = Log::of(self.definition, &names, unwraps, &self.keep)?;
        let log = Log { samples, longest: self.longest, ..log };
        let (template, unwrap) = (self.template.take(), self.unwrap.clone());
        let begins_with_client = detect::begin_with_clients(first, &wrappers);
        *self = Log { wrappers, unwrap, begins_with_client, ..log.making(template, first, source)? };
        if let (Keep::Names(_), Engine::Named(..), true) = (&self.keep, &self.engine, names.is_empty()) {
            let (extra, chosen) = self.shape.chosen(&self.keep, self.definition.name)?;
            (self.extra, self.chosen) = (extra, chosen);
        }
        Ok(())
    }

    /// The names of the fields, if an empty input has no header: those that the format has a column for, and those that
    /// the run names.
    fn names_of_empty(&self) -> Result<Vec<String>> {
        let mut names = named::known_names(self.definition);
        let own = Log::of(self.definition, &names, false, &Keep::All)?;
        let kept = match &self.keep {
            Keep::Names(kept) | Keep::AllWith(kept) => &kept[..],
            _ => &[],
        };
        for name in kept.iter().chain(&self.named) {
            if !names.contains(name) && own.extra.fields().iter().all(|field| field.name != *name) {
                names.push(name.clone());
            }
        }
        Ok(names)
    }

    /// Its columns with their types.
    #[cfg(test)]
    fn columns(&self) -> Vec<(String, urimill_columns::batch::Kind)> {
        self.extra.fields().iter().map(|field| (field.name.clone(), field.kind)).collect()
    }
}

fn no_header(definition: &Definition, head: HeaderKind, source: &str) -> Error {
    let lacks = match head {
        HeaderKind::Extended(_) => "has no line #Fields: at its beginning".to_owned(),
        HeaderKind::Zeek(_) => "has no line #fields at its beginning".to_owned(),
        HeaderKind::Csv(header) => {
            format!("does not begin with a line of names such as {}", header.detected_by.join(", "))
        }
    };
    let named = OptionName::Format.with(definition.name);
    Error::usage(format!("{source} {lacks}, which tells the fields of {named}"))
}

/// The columns of addresses that may have ports after them.
fn endpoints(shape: &Shape) -> Arc<[Slot]> {
    (0..shape.columns.len()).filter(|&slot| shape.columns[slot].check == Check::Endpoint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_is_whole() {
        let columns_of = |definition| Log::of(definition, &[], true, &Keep::All).expect("a log").columns();
        let all: Vec<_> = table::all().map(columns_of).collect();
        for definition in table::all() {
            let log = Log::of(definition, &[], true, &Keep::All).expect(definition.name);
            let columns = log.columns();
            let is_named = matches!(log.engine, Engine::Named(..));
            assert!(is_named || columns.len() > 2, "{}: {columns:?}", definition.name);
            for (name, kind) in &columns {
                // Columns with one name have one type in all formats, so that their tables go together.
                let others = all.iter().filter_map(|other| other.iter().find(|(same, _)| same == name));
                let types: Vec<_> = others.map(|(_, kind)| kind.data_type()).collect();
                assert!(
                    types.iter().all(|other| *other == kind.data_type()),
                    "{}: {name} {types:?}",
                    definition.name
                );
            }
            assert_eq!(table::all().filter(|other| other.name == definition.name).count(), 1);
        }
        assert!(log_formats().count() >= 110, "{}", log_formats().count());
    }
}
