//! The option `uri_field` as a list: the field of the URI, and those of further URIs.

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::input_format::InputOptions;

impl InputOptions {
    /// The field of the URI, if the caller names one.
    pub(super) fn first_uri(&self) -> Option<&str> {
        let list = self.uri_field.as_deref()?;
        if list.starts_with('+') { None } else { uri_fields(list).next() }
    }

    /// The fields of further URIs.
    pub(super) fn further_uris(&self) -> Vec<String> {
        let list = self.uri_field.as_deref().unwrap_or_default();
        match list.strip_prefix('+') {
            Some(list) => uri_fields(list).map(str::to_owned).collect(),
            None => uri_fields(list).skip(1).map(str::to_owned).collect(),
        }
    }

    /// The rule for runs that examine one URI of each record.
    pub(super) fn check_one_uri(&self) -> Result<()> {
        match self.further_uris().is_empty() {
            true => Ok(()),
            false => Err(Error::usage(format!(
                "{} names several fields, and one URI of each record is looked at: name one field",
                OptionName::UriField.with(self.uri_field.as_deref().unwrap_or_default())
            ))),
        }
    }

    pub(super) fn check_further(&self) -> Result<()> {
        let further = self.further_uris();
        let all = || self.first_uri().into_iter().chain(further.iter().map(String::as_str));
        let twice = all().enumerate().find(|&(at, name)| all().take(at).any(|other| other == name));
        let with = |name: &str| OptionName::UriField.with(name).to_string();
        if let Some(list) = self.uri_field.as_deref()
            && all().any(str::is_empty)
        {
            return Err(Error::usage(format!("{} names a field without a name", with(list))));
        }
        if let Some((_, name)) = twice {
            return Err(Error::usage(format!("{} twice: name each field once", with(name))));
        }
        if !further.is_empty() && !self.asked_format().has_fields() {
            return Err(Error::usage(format!(
                "{} needs a format with fields, and lines have none: choose another {}",
                with(self.uri_field.as_deref().unwrap_or_default()),
                OptionName::Format.named()
            )));
        }
        Ok(())
    }
}

/// Names separated by commas; a comma in brackets is part of a path.
fn uri_fields(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth <= 0
    })
}
