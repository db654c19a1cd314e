//! Lists in files of the user, for rules about single URIs: the public suffix list and the port rules. The package
//! `urimill-uri` parses their texts and opens no files; this module reads the files through `files`.

use std::io::Read;
use std::path::Path;

use urimill_uri::audit::PortRules;
use urimill_uri::domain::SuffixList;

use crate::error::{Error, ErrorKind, Result};
use crate::files::File;

/// The longest public suffix list, in bytes: the official one has 330 KB.
const MAX_SUFFIX_LIST: u64 = 64 << 20;

/// The longest file of port rules, in bytes.
const MAX_PORT_RULES: u64 = 16 << 20;

/// Reads a public suffix list from a file, in the form of <https://publicsuffix.org/list/>. Rules outside its two
/// sections count as those of registries.
///
/// # Errors
/// If the file cannot be read or is not a suffix list.
pub fn read_suffix_list(path: &Path) -> Result<SuffixList> {
    let bytes = read(path, MAX_SUFFIX_LIST)
        .map_err(|error| Error::path("read the public suffix list", path, error))?;
    let unfit = |what: String| {
        let path = path.display();
        Error::new(ErrorKind::Data, format!("cannot use {path} as a public suffix list: {what}"))
    };
    if bytes.len() as u64 > MAX_SUFFIX_LIST {
        return Err(unfit("it has more than 64 MiB".to_owned()));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| unfit(format!("it is not UTF-8 at byte {}", error.utf8_error().valid_up_to())))?;
    SuffixList::given(&text, &file_name(path)).map_err(unfit)
}

/// Reads port rules from a file: see [`PortRules`] for its lines.
///
/// # Errors
/// If the file cannot be read; usage, with the line and the reason, if a line is not a rule.
pub fn read_port_rules(path: &Path) -> Result<PortRules> {
    let bytes =
        read(path, MAX_PORT_RULES).map_err(|error| Error::path("read the port rules", path, error))?;
    let unfit = |what: String| {
        let path = path.display();
        Error::usage(format!("cannot use {path} as port rules: {what}"))
    };
    if bytes.len() as u64 > MAX_PORT_RULES {
        return Err(unfit("it has more than 16 MiB".to_owned()));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        unfit(format!("line {line} is not UTF-8"))
    })?;
    PortRules::given(text, &file_name(path)).map_err(unfit)
}

/// The bytes of a file, at most `most` and one more, so that the caller can tell that it is longer.
fn read(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The name of the list in the metadata of tables.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |last| last.to_string_lossy().into_owned())
}
