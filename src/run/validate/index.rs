//! The rules of runs that make the index of web archives.

use super::{in_range, usage};
use crate::error::Result;
use crate::option_name::OptionName;
use crate::run::choices::{ARCHIVES, IndexForm};
use crate::run::index::Index;
use crate::run::input_format::InputFormat;
use crate::run::options::Job;

impl Index {
    /// Whether these options make sense together.
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
        let zipnum = OptionName::OutputFormat.with(IndexForm::ZipNum.as_str());
        if self.index_form() == IndexForm::ZipNum {
            return match (&self.output.path, self.is_unsorted) {
                (None, _) => {
                    usage(format!("{zipnum} writes a directory: give {}", OptionName::Output.with("DIR/")))
                }
                (_, true) => usage(format!("{zipnum} is sorted: drop {}", OptionName::Unsorted.on())),
                _ => Ok(()),
            };
        }
        if self.index_form() == IndexForm::Parquet && self.is_unsorted {
            let parquet = OptionName::OutputFormat.with(IndexForm::Parquet.as_str());
            return usage(format!("{parquet} is sorted: drop {}", OptionName::Unsorted.on()));
        }
        match of_zipnum.into_iter().find(|(_, given)| given.is_some()) {
            Some((option, _)) => usage(format!("{} is for {zipnum}: drop it, or give that", option.named())),
            None => Ok(()),
        }
    }
}
