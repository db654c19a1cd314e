//! The rules of runs that make the index of web archives.

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;

use super::{in_range, usage};
use crate::run::choices::ARCHIVES;
use crate::run::index::Index;
use crate::run::input_format::InputFormat;
use crate::run::options::{self, Job};

impl Index {
    /// Checks that these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        in_range(Job::Index, self.common.numbers())?;
        let of_zipnum = [(OptionName::Shards, self.shards), (OptionName::BlockLines, self.block_lines)];
        in_range(Job::Index, of_zipnum)?;
        if self.input.format.is_some_and(|format| !ARCHIVES.contains(&format)) {
            return usage(format!(
                "an index is made of web archives: give {}",
                OptionName::Format.with_any(&ARCHIVES.map(InputFormat::name))
            ));
        }
        let form = self.index_form();
        options::check(Job::Index, |option| match option {
            OptionName::OutputFormat => Some(form.as_str()),
            OptionName::Output => self.output.path.as_ref().map(|_| ""),
            OptionName::Unsorted => self.is_unsorted.then_some(""),
            OptionName::Shards => self.shards.map(|_| ""),
            OptionName::BlockLines => self.block_lines.map(|_| ""),
            _ => None,
        })
    }
}
