//! Which records of a web archive are read, by their type: the option `records`.

use std::str::FromStr;
use std::sync::Arc;

use urimill_base::error::{Error, Result};

/// Which records of an archive become rows, by their type: all of them, or those of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordTypes(Option<Arc<[String]>>);

/// The types that ISO 28500 has.
const TYPES: [&str; 8] =
    ["warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"];

impl FromStr for RecordTypes {
    type Err = Error;

    /// `all`, or types with commas between.
    fn from_str(text: &str) -> Result<RecordTypes> {
        if text == "all" {
            return Ok(RecordTypes(None));
        }
        let types: Vec<String> = text.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
        match types.iter().find(|name| !TYPES.contains(&name.as_str())) {
            Some(name) => Err(Error::usage(format!(
                "there is no record type {name:?}: give all, or types with commas between: {}",
                TYPES.join(", ")
            ))),
            None => Ok(RecordTypes(Some(types.into()))),
        }
    }
}

impl RecordTypes {
    /// Whether every record becomes a row.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a record of this type does. A record that does not say its type does.
    pub fn has(&self, kind: Option<&[u8]>) -> bool {
        let (Some(only), Some(kind)) = (&self.0, kind) else { return true };
        only.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(kind))
    }
}
