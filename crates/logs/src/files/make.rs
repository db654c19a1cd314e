//! Makes the definition that a format file has. The build script makes those of the formats of urimill with it, and a
//! run those of a user.

use super::model::{Checked, Escaping, Fault, File, Kind, PairForm, Text, Written};
use crate::definition::{Definition, Dialect, Escapes, Fields, Form, Header, HeaderKind, Writer};
use crate::forms::Values;

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

/// The contents of a file and the definition that they make. Whether its fields are right is not looked at.
pub(crate) fn definition(whole: &'static str) -> Checked<(File, Definition)> {
    let file = File::of(whole)?;
    file.check_name()?;
    file.check_words()?;
    let values = file.values.iter().map(|(name, value)| {
        let form = value.get_ref().form().map_err(|why| Fault(value.span(), why))?;
        Ok((text(name), form))
    });
    let values: Values = leak(values.collect::<Checked<Vec<_>>>()?);
    let form = match file.kind {
        Kind::Lines => lines(&file)?,
        Kind::Json => objects(&file)?,
        Kind::Pairs => pairs(&file)?,
        Kind::W3c | Kind::Zeek | Kind::Csv => named(&file)?,
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
    let definition = Definition {
        name: text(file.name.get_ref()),
        about: text(&file.title),
        form,
        escapes,
        values,
        before: leak(file.before.iter().map(|name| text(name)).collect()),
        nulls: texts(&file.nulls),
        skip: texts(&file.skip),
        file: whole,
    };
    Ok((file, definition))
}

/// The forms of lines.
fn lines(file: &File) -> Checked<Form> {
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
    Ok(Form::Lines(writer, forms(file)?))
}

/// The forms of `lines`, with each of the `ways`.
fn forms(file: &File) -> Checked<&'static [&'static str]> {
    let mut forms = Vec::new();
    for line in &file.lines {
        forms.extend(file.written_out(line)?.iter().map(|form| text(form)));
    }
    Ok(leak(forms))
}

fn objects(file: &File) -> Checked<Form> {
    file.allow(&["told_by", "fields", "escapes", "values"])?;
    if file.told_by.is_empty() {
        let why = "kind = \"json\" needs `told_by`: the members by which an object of the format is told";
        return Err(Fault(file.name.span(), why.into()));
    }
    let has_more_escapes = file.escapes == Escaping::Backslash;
    Ok(Form::Objects { detected_by: texts(&file.told_by), fields: fields(file), has_more_escapes })
}

fn pairs(file: &File) -> Checked<Form> {
    file.allow(&["told_by", "fields", "lines", "ways", "separator", "assign", "pairs", "escapes", "values"])?;
    if file.told_by.is_empty() || file.told_by.len() > 32 {
        let why =
            "kind = \"pairs\" needs `told_by`: the names by which a line of the format is told, 32 at most";
        return Err(Fault(file.name.span(), why.into()));
    }
    let dialect = match file.pairs {
        PairForm::Words => Dialect::Words { separator: file.separator()?, assign: file.assign()? },
        PairForm::Cef => Dialect::Cef,
        PairForm::Leef => Dialect::Leef,
    };
    Ok(Form::Pairs { dialect, lead: forms(file)?, detected_by: texts(&file.told_by), fields: fields(file) })
}

fn named(file: &File) -> Checked<Form> {
    file.allow(&["told_by", "fields", "orders", "separator", "escapes", "values"])?;
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
    let header = Header {
        detected_by: texts(&file.told_by),
        orders: leak(orders),
        is_mixed: file.orders.iter().any(|order| order.mixed),
        has_more: file.orders.iter().any(|order| order.more),
        separator: file.separator()?,
    };
    let header: &'static Header = Box::leak(Box::new(header));
    let head = match file.kind {
        Kind::Csv => HeaderKind::Csv(header),
        Kind::Zeek => HeaderKind::Zeek(header),
        _ => HeaderKind::Extended(header),
    };
    Ok(Form::Named { head, fields: fields(file) })
}

/// The fields by the names that a log has for them.
fn fields(file: &File) -> Fields {
    leak(file.fields.0.iter().map(|(name, field)| (text(name), text(field.get_ref()))).collect())
}
