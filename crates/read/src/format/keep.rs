//! Which fields of a record pass through to the table, by the fields of the format and the wish of the user.

use std::str::FromStr;
use std::sync::Arc;

use urimill_base::error::{Error, Result, did_you_mean};
use urimill_columns::batch::{Cell, ExtraColumns, Kind};

/// A field that a format has in every record, or may have.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The name of its column.
    pub name: &'static str,
    /// The type of its values.
    pub kind: Kind,
    /// Where the format's reader puts it.
    pub place: u8,
    /// Whether a record without it is still whole.
    pub(crate) optional: bool,
}

impl FieldSpec {
    /// A field that is kept by default.
    pub const fn new(place: u8, name: &'static str, kind: Kind) -> FieldSpec {
        FieldSpec { name, kind, place, optional: false }
    }

    /// A field that is kept if it is asked for.
    pub const fn optional(place: u8, name: &'static str, kind: Kind) -> FieldSpec {
        FieldSpec { name, kind, place, optional: true }
    }
}

/// The fields beside the URI that the user wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Keep {
    /// All of them.
    All,
    /// None.
    #[default]
    None,
    /// Those with these names, in this order.
    Names(Vec<String>),
    /// All of them; those with these names have columns of their own, whatever the format does with others.
    AllWith(Vec<String>),
    /// The same, and no record has to have the named ones.
    AllWithOptional(Vec<String>),
    /// Those with these names that the input has: neither the format nor a record has to have any of them.
    AnyOf(Vec<String>),
}

impl Keep {
    /// Whether all of them pass through.
    pub fn is_all(&self) -> bool {
        matches!(self, Keep::All | Keep::AllWith(_) | Keep::AllWithOptional(_))
    }

    /// The names of fields that have columns of their own beside all others.
    pub(crate) fn named(&self) -> &[String] {
        if let Keep::AllWith(names) = self { names } else { &[] }
    }

    /// Whether a field of this name is one of [`Keep::AnyOf`].
    pub(crate) fn is_any_of(&self, name: &str) -> bool {
        matches!(self, Keep::AnyOf(names) if names.iter().any(|other| other == name))
    }

    /// The numbers of the fields that pass through, looked up in the list of names.
    ///
    /// # Errors
    /// Usage, if no field has one of the names.
    pub fn numbers(&self, known: &[&str], format: &str) -> Result<Vec<usize>> {
        let find = |name: &String| {
            known.iter().position(|own| own == name).ok_or_else(|| {
                Error::usage(format!(
                    "{format} has no field {name:?} to keep{}: choose from {}",
                    did_you_mean(name, known.iter().copied()),
                    known.join(", ")
                ))
            })
        };
        let all = 0..known.len();
        match self {
            Keep::All | Keep::AllWith(_) | Keep::AllWithOptional(_) => Ok(all.collect()),
            Keep::None => Ok(Vec::new()),
            Keep::Names(names) => names.iter().map(find).collect(),
            Keep::AnyOf(_) => Ok(all.filter(|&at| self.is_any_of(known[at])).collect()),
        }
    }

    /// These and those with other names.
    pub fn with(self, names: &[String]) -> Keep {
        let more = |own: &[String]| -> Vec<String> {
            names.iter().filter(|name| !own.contains(name)).cloned().collect()
        };
        match self {
            keep if names.is_empty() => keep,
            Keep::All => Keep::AllWith(names.to_vec()),
            Keep::None => Keep::Names(names.to_vec()),
            Keep::Names(own) => Keep::Names(own.iter().cloned().chain(more(&own)).collect()),
            Keep::AllWith(own) => Keep::AllWith(own.iter().cloned().chain(more(&own)).collect()),
            Keep::AllWithOptional(own) => {
                Keep::AllWithOptional(own.iter().cloned().chain(more(&own)).collect())
            }
            Keep::AnyOf(own) => Keep::AnyOf(own.iter().cloned().chain(more(&own)).collect()),
        }
    }
}

impl FromStr for Keep {
    type Err = Error;

    /// `all`, `none`, or names with commas between.
    fn from_str(text: &str) -> Result<Keep> {
        match text {
            "all" => return Ok(Keep::All),
            "none" => return Ok(Keep::None),
            _ => {}
        }
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            return Err(Error::usage(
                "give the names of the fields to keep, separated by commas, or all, or none",
            ));
        }
        let twice = names.iter().enumerate().find(|&(at, name)| names[..at].contains(name));
        match twice {
            Some((_, name)) => {
                Err(Error::usage(format!("the field {name:?} is to be kept twice: name it once")))
            }
            None => Ok(Keep::Names(names)),
        }
    }
}

/// The fields that pass through for a format with known fields: the columns, and for each the place of its field and
/// the value for a record without it.
#[derive(Debug, Clone, Default)]
pub struct SelectedFields {
    /// The columns of the fields.
    pub extra: ExtraColumns,
    /// The place of each field among those of the format.
    pub places: Arc<[(u8, Cell)]>,
}

impl SelectedFields {
    /// # Errors
    /// Usage, if the format has no field of a name.
    pub fn of(known: &[FieldSpec], keep: &Keep, format: &str) -> Result<SelectedFields> {
        let names: Vec<&str> = known.iter().map(|field| field.name).collect();
        let fields = keep.numbers(&names, format)?.into_iter().map(|at| &known[at]);
        let absent = |field: &FieldSpec| if field.optional { Cell::NULL } else { Cell::MISSING };
        Ok(SelectedFields {
            extra: ExtraColumns::new(fields.clone().map(|field| (field.name.to_owned(), field.kind))),
            places: fields.map(|field| (field.place, absent(field))).collect(),
        })
    }

    /// The cells of a record whose fields stand at these places; `found` says which fields are there. A field that is
    /// `-` is null.
    #[inline]
    pub fn cells(
        &self,
        bytes: &[u8],
        fields: &[urimill_uri::simd::Span],
        found: usize,
    ) -> impl ExactSizeIterator<Item = Cell> {
        self.places.iter().map(move |&(place, absent)| match fields[..found].get(usize::from(place)) {
            Some(field) if is_dash(bytes, *field) => Cell::NULL,
            Some(field) => Cell::read(*field),
            None => absent,
        })
    }
}

/// Whether a word stands for an absent value.
#[inline]
pub fn is_dash(bytes: &[u8], word: urimill_uri::simd::Span) -> bool {
    word.len == 1 && bytes[word.start as usize] == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_chosen_by_name() {
        let known = [
            FieldSpec::new(0, "a", Kind::Text),
            FieldSpec::new(1, "b", Kind::Text),
            FieldSpec::new(2, "c", Kind::Text),
        ];
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        // (what is kept, the columns)
        let cases: [(Keep, Option<&[&str]>); 7] = [
            (Keep::All, Some(&["a", "b", "c"])),
            (Keep::None, Some(&[])),
            (Keep::Names(names(&["c", "a"])), Some(&["c", "a"])),
            (Keep::Names(names(&["a", "d"])), None),
            (Keep::AnyOf(names(&["c", "d", "a"])), Some(&["a", "c"])),
            (Keep::AnyOf(names(&["d"])), Some(&[])),
            (Keep::AllWithOptional(names(&["d"])), Some(&["a", "b", "c"])),
        ];
        for (keep, expected) in cases {
            let chosen = SelectedFields::of(&known, &keep, "f").ok();
            let columns = chosen.map(|chosen| {
                chosen.extra.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>()
            });
            assert_eq!(columns, expected.map(names), "{keep:?}");
        }
    }
}
