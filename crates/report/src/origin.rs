//! The inputs and options of a state: they ensure that no input counts twice when states are added up, and that figures
//! with different meanings are not mixed.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;
use urimill_base::error::Error;
use urimill_base::option_name::OptionName;

use super::counter::shortened;
use super::figure::Figure;
use super::partial::Partial;
use super::shorten_map;

/// The most inputs that a state knows: if there are more, those with the least checksums, so that two states of the
/// same inputs know the same ones.
pub(super) const MOST_INPUTS: usize = 1 << 16;

/// The checksum and the size of an input. Inputs for which both are equal are the same, whatever their names.
pub(super) type InputKey = (u64, u64);

/// The options that decide the meaning of figures, by the names of [`OptionName`](urimill_base::option_name::OptionName), each with its
/// value: with several, if states were added up with force.
pub(super) type Options = BTreeMap<String, BTreeSet<String>>;

/// The inputs of a state, and its options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// The inputs that are not empty, with their names.
    pub(super) inputs: BTreeMap<InputKey, Box<str>>,
    /// `None` in an empty state.
    pub(super) options: Option<Options>,
}

/// The reason why two states are not to be added up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// Both hold the input with this name.
    Input(String),
    /// They were made with different values of an option; `None` where it was not given.
    Option {
        /// The name of the option, as [`OptionName`](urimill_base::option_name::OptionName) has it.
        name: String,
        /// The values of both.
        values: [Option<String>; 2],
    },
}

impl Conflict {
    /// The error that `other` cannot be added to `own`.
    pub fn error(&self, own: &str, other: &str) -> Error {
        let force = OptionName::Force.named();
        Error::usage(match self {
            Conflict::Input(name) => format!(
                "{own} and {other} both hold the input {name}, whose records would count twice: leave one of them out, or \
                 add them up all the same with {force}"
            ),
            Conflict::Option { name, values } => {
                let with = |value: &Option<String>| match (value, name.parse::<OptionName>()) {
                    (Some(value), Ok(option)) => format!("with {}", option.with(value)),
                    (None, Ok(option)) => format!("without {}", option.named()),
                    (value, Err(())) => format!("with {name} {}", value.as_deref().unwrap_or("none")),
                };
                let [own_value, other_value] = values.each_ref().map(with);
                format!(
                    "{own} was made {own_value}, and {other} {other_value}: their figures do not mean the same; make one \
                     again, or add them up all the same with {force}"
                )
            }
        })
    }
}

impl Origin {
    /// The origin of a run with these options, without inputs so far.
    pub(super) fn with_options(options: impl IntoIterator<Item = (String, String)>) -> Origin {
        let options = options.into_iter().map(|(name, value)| (name, BTreeSet::from([value])));
        Origin { inputs: BTreeMap::new(), options: Some(options.collect()) }
    }

    /// Adds an input; returns the name of the same one, if that was added before. An empty input cannot count twice.
    pub(super) fn add(&mut self, name: &str, size: u64, checksum: u64) -> Option<Box<str>> {
        if size == 0 {
            return None;
        }
        if let Some(known) = self.inputs.get(&(checksum, size)) {
            return Some(known.clone());
        }
        self.inputs.insert((checksum, size), shortened(name).into());
        shorten_map(&mut self.inputs, MOST_INPUTS);
        None
    }

    /// The reason why the other is not to be added.
    pub(super) fn conflict(&self, other: &Origin) -> Option<Conflict> {
        if let (Some(own), Some(others)) = (&self.options, &other.options) {
            let names: BTreeSet<&String> = own.keys().chain(others.keys()).collect();
            // The specification comes first, because it decides which other options there are: the URL Standard has no
            // level.
            let rank = |name: &&String| **name != OptionName::Spec.as_str();
            let differs = |name: &&String| own.get(*name) != others.get(*name);
            if let Some(name) = names.into_iter().filter(differs).min_by_key(rank) {
                let value = |options: &Options| {
                    let values = options.get(name)?.iter().map(String::as_str).collect::<Vec<_>>();
                    Some(values.join(" and "))
                };
                return Some(Conflict::Option { name: name.clone(), values: [value(own), value(others)] });
            }
        }
        let (few, many) = match self.inputs.len() <= other.inputs.len() {
            true => (&self.inputs, &other.inputs),
            false => (&other.inputs, &self.inputs),
        };
        let twice = few.keys().filter(|key| many.contains_key(key));
        // The first by name, whichever of the two states has more inputs.
        let names = twice.filter_map(|key| self.inputs.get(key));
        names.min().map(|name| Conflict::Input(name.to_string()))
    }

    /// Adds the inputs and options of the other.
    pub(super) fn merge(&mut self, other: &Origin) {
        for (key, name) in &other.inputs {
            let own = self.inputs.entry(*key).or_insert_with(|| name.clone());
            if *name < *own {
                own.clone_from(name);
            }
        }
        shorten_map(&mut self.inputs, MOST_INPUTS);
        match (&mut self.options, &other.options) {
            (Some(own), Some(others)) => others.iter().for_each(|(name, values)| {
                own.entry(name.clone()).or_default().extend(values.iter().cloned());
            }),
            (own @ None, Some(others)) => *own = Some(others.clone()),
            (_, None) => {}
        }
    }
}

/// A checksum of the values in a table's rows, as far as a report reads them: tables have no bytes that are read in
/// order. Checksums of parts add up, however the rows are divided. `uris` are the URIs of the rows.
pub(super) fn of_rows<'a>(uris: impl Iterator<Item = Option<&'a str>>, partial: &Partial) -> u64 {
    let mut number = 0_u64;
    for uri in uris {
        number = number.wrapping_add(XxHash3_64::oneshot(uri.unwrap_or_default().as_bytes()));
    }
    partial.each(|figure: Figure, texts| {
        for (text, sum) in texts {
            let hash = XxHash3_64::oneshot_with_seed(1 + figure as u64, text.as_bytes());
            number = number.wrapping_add(hash.wrapping_mul(sum));
        }
    });
    for (minute, counts) in &partial.minutes {
        let hash = XxHash3_64::oneshot(&minute.to_le_bytes());
        number = number.wrapping_add(hash.wrapping_mul(counts.records() + counts.bytes));
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(options: &[(&str, &str)], inputs: &[(&str, u64, u64)]) -> Origin {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut origin = Origin::with_options(options);
        for (name, size, checksum) in inputs {
            assert_eq!(origin.add(name, *size, *checksum), None);
        }
        origin
    }

    #[test]
    fn inputs_count_once_and_options_are_those_of_all() {
        let option = |name: &str, values: [Option<&str>; 2]| {
            let values = values.map(|value| value.map(str::to_owned));
            Some(Conflict::Option { name: name.to_owned(), values })
        };
        let input = |name: &str| Some(Conflict::Input(name.to_owned()));
        let plain = || origin(&[("level", "scheme")], &[("a", 1, 1), ("b", 2, 2)]);
        let table = [
            (origin(&[("level", "scheme")], &[]), None, "nothing twice"),
            (Origin::default(), None, "the state of nothing"),
            (
                origin(&[("level", "scheme")], &[("c", 1, 2), ("d", 2, 1)]),
                None,
                "other sizes, other checksums",
            ),
            (origin(&[("level", "scheme")], &[("c", 2, 2)]), input("b"), "the same by another name"),
            (plain(), input("a"), "the first by name"),
            (origin(&[("level", "none")], &[]), option("level", [Some("scheme"), Some("none")]), "a value"),
            (
                origin(&[("level", "scheme"), ("base", "a:b")], &[]),
                option("base", [None, Some("a:b")]),
                "an option more",
            ),
            (origin(&[], &[]), option("level", [Some("scheme"), None]), "one less"),
            (
                origin(&[("spec", "whatwg")], &[]),
                option("spec", [None, Some("whatwg")]),
                "the one that decides",
            ),
        ];
        for (other, expected, why) in table {
            assert_eq!(plain().conflict(&other), expected, "{why}");
        }
        assert_eq!(plain().add("c", 2, 2), Some("b".into()));
        // Empty inputs are ignored.
        assert_eq!(origin(&[], &[("a", 0, 7)]), origin(&[], &[]));
        // A sum that was forced has both values, and conflicts with a state that has one of them.
        let mut both = plain();
        both.merge(&origin(&[("level", "none")], &[("c", 3, 3)]));
        assert_eq!(both.conflict(&plain()), option("level", [Some("none and scheme"), Some("scheme")]));
        assert_eq!(both.inputs.len(), 3);
    }

    /// Beyond the limit, two states of the same inputs know the same ones.
    #[test]
    fn many_inputs_are_known_by_the_least_checksums() {
        let many = |from: u64| {
            let mut origin = Origin::default();
            let hash = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (from..from + 70_000).for_each(|number| drop(origin.add(&number.to_string(), 1, hash(number))));
            origin
        };
        let (one, mut other) = (many(0), many(70_000));
        assert_eq!((one.inputs.len(), one.conflict(&other)), (MOST_INPUTS, None));
        assert!(many(0).conflict(&one).is_some());
        other.merge(&one);
        assert_eq!(other.inputs.len(), MOST_INPUTS);
        assert!(other.conflict(&one).is_some() && other.conflict(&many(70_000)).is_some());
    }
}
