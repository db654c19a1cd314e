//! Error sentences in the words of the command line: the library names options by their methods, and this module
//! replaces those names by flags.

use std::borrow::Cow;

use urimill::error::Error;
use urimill::option_name::{Mention, OptionName};
use urimill::run::options::is_switch;

/// The sentence of an error, with options written as flags.
pub(crate) fn sentence(error: &Error) -> Cow<'_, str> {
    error.in_words(said)
}

fn said(mention: &Mention<'_>) -> String {
    let flag = format!("--{}", mention.option.flag());
    match (mention.option, mention.values(quoted)) {
        (_, None) => flag,
        (option, Some(_)) if is_switch(option) => flag,
        (OptionName::Output, Some(value)) => format!("-o {value}"),
        (_, Some(value)) => format!("{flag} {value}"),
    }
}

/// A value, quoted for a shell if necessary.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+:,=".contains(c);
    if value.chars().all(is_plain) && !value.is_empty() { value.to_owned() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_flags() {
        for (mention, said_so) in [
            (OptionName::SortBy.named().to_string(), "--sort-by"),
            (OptionName::Format.with_any(&["csv", "tsv"]), "--from csv or tsv"),
            (OptionName::UriField.with("page url").to_string(), "--uri-field \"page url\""),
            (OptionName::OutputFormat.with("FORMAT").to_string(), "--to FORMAT"),
            (OptionName::Output.named().to_string(), "--output"),
            (OptionName::Output.with("DIR/").to_string(), "-o DIR/"),
            (OptionName::Repair.on().to_string(), "--repair"),
        ] {
            assert_eq!(sentence(&Error::usage(mention)), said_so);
        }
    }
}
