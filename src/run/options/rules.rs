//! The rules about options that exclude or need each other. A rule belongs to the option that has it, and is checked in
//! one place.

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::{Job, RECORDS, Row};

/// A rule of an option about others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The value for which the rule holds: empty for every value, `!value` for every value but this one.
    pub when: &'static str,
    /// The other options.
    pub others: &'static [OptionName],
    /// The value of the others that is meant, in the same notation.
    pub of: &'static str,
    /// Whether one of the others must be given; otherwise none may be.
    pub is_need: bool,
    /// The error if the rule is broken: `{}` is the option, `{other}` the one that it excludes, and `{base URI}` an
    /// option by its name, optionally with a value. Empty if only the command line has the rule, and words it itself.
    pub sentence: &'static str,
}

/// The value of a list with several elements.
pub const SEVERAL: &str = "A,B";

/// None of the others may be given.
pub(super) const fn excludes(others: &'static [OptionName], sentence: &'static str) -> Rule {
    Rule { when: "", others, of: "", is_need: false, sentence }
}

/// One of the others must be given.
pub(super) const fn needs(others: &'static [OptionName], sentence: &'static str) -> Rule {
    Rule { is_need: true, ..excludes(others, sentence) }
}

impl Rule {
    /// Only for this value of the option.
    pub(super) const fn when(self, when: &'static str) -> Rule {
        Rule { when, ..self }
    }

    /// Only for this value of the others.
    pub(super) const fn of(self, of: &'static str) -> Rule {
        Rule { of, ..self }
    }

    /// The error if the rule is broken.
    fn broken(
        &self,
        option: OptionName,
        given: impl Fn(OptionName) -> Option<&'static str>,
    ) -> Option<Error> {
        let fits = |option, wanted: &str| match (given(option), wanted.strip_prefix('!')) {
            (None, _) => false,
            (Some(value), Some(unwanted)) => value != unwanted,
            (Some(value), None) => wanted.is_empty() || value == wanted,
        };
        if self.sentence.is_empty() || !fits(option, self.when) {
            return None;
        }
        let other = self.others.iter().find(|&&other| fits(other, self.of));
        let other = match (self.is_need, other) {
            (true, None) => String::new(),
            (false, Some(&other)) => mention(other, self.of),
            _ => return None,
        };
        // Texts in braces are options.
        let parts =
            self.sentence.split(['{', '}']).enumerate().map(|(number, part)| match (number % 2, part) {
                (0, text) => text.to_owned(),
                (_, "") => mention(option, ""),
                (_, "other") => other.clone(),
                (_, named) => {
                    let (name, value) = named.split_once(' ').unwrap_or((named, ""));
                    name.parse().map_or_else(|()| named.to_owned(), |option| mention(option, value))
                }
            });
        Some(Error::usage(parts.collect::<String>()))
    }
}

/// An option in a sentence, optionally with a value.
fn mention(option: OptionName, value: &str) -> String {
    if value.is_empty() { option.named().to_string() } else { option.with(value).to_string() }
}

/// Checks the rules of a job's options, and of those of records that it does not name. `given` returns the value of an
/// option, which may be empty if no rule needs it, and `None` for an option that is not given.
///
/// Usage, if a rule is broken.
pub(crate) fn check(job: Job, given: impl Fn(OptionName) -> Option<&'static str>) -> Result<()> {
    let others = RECORDS.iter().filter(|row| job.row(row.option).is_none());
    let broken = |row: &Row| row.rules.iter().find_map(|rule| rule.broken(row.option, &given));
    job.rows().chain(others).find_map(broken).map_or(Ok(()), Err)
}
