//! Keywords to the builders of runs. The rows of `urimill::run::options` list the options and their values.

use std::ffi::OsString;

use urimill::run::options::{READING, WRITING};
use urimill::run::{Conversion, Links, Output, Settings};
use urimill::{Error, OptionName};

use crate::errors::Result;
use crate::options::Keywords;

/// The run that the keywords of a function describe. With `of_pages` a row is a reference in a page.
pub(crate) fn conversion(
    keywords: &Keywords<'_>,
    inputs: Vec<OsString>,
    output: Option<Output>,
    (function, of_pages): (&str, bool),
) -> Result<Conversion> {
    let run = Conversion::new().inputs(inputs);
    let run = match of_pages {
        true => run.links(Links::new()),
        false => run,
    };
    match output {
        Some(output) => filled(keywords, run.write_to(output), (function, of_pages), |_| false),
        // Options of outputs have no meaning for a table that is read.
        None => filled(keywords, run, (function, of_pages), is_of_output),
    }
}

/// Whether a keyword is an option of outputs.
pub(crate) fn is_of_output(name: &str) -> bool {
    WRITING.iter().any(|row| row.option.keyword() == name)
}

/// A run with the options of the keywords.
pub(crate) fn filled<R: Settings>(
    keywords: &Keywords<'_>,
    run: R,
    (function, of_pages): (&str, bool),
    passes_over: impl Fn(&str) -> bool,
) -> Result<R> {
    // Keywords that pages do not have are errors, not ignored.
    let of_records = READING.iter().map(|row| row.option).chain([OptionName::BaseField]);
    let of_pages_too = |option| matches!(option, OptionName::Format | OptionName::Encoding);
    for option in of_records.filter(|&option| of_pages && !of_pages_too(option)) {
        let name = option.keyword();
        if keywords.any(name)?.is_some() {
            return Err(Error::usage(format!(
                "links takes no {name}: that says how records are read, and these are pages"
            ))
            .into());
        }
    }
    keywords.fill(run, function, passes_over)
}
