//! The names of partition directories in Hive's form, as Spark, Trino, DuckDB and pyarrow read them:
//! `column=value/column=value`.

use urimill_base::error::{Error, Result};

/// The name for null and for the empty string: a directory cannot distinguish the two.
const NOTHING: &str = "__HIVE_DEFAULT_PARTITION__";

/// The most bytes of a directory name on nearly every file system.
const LONGEST: usize = 255;

/// The directory of the rows with `value` in `column`. It begins with the column's name and contains no slash, so no
/// value leads out of the output.
///
/// `Usage` if the name is longer than file systems allow. A shortened one would lose the value, which is nowhere else.
pub(crate) fn segment(column: &str, value: Option<&str>) -> Result<String> {
    let mut name = String::with_capacity(column.len() + value.map_or(NOTHING.len(), str::len) + 1);
    escape(column, &mut name);
    name.push('=');
    match value {
        None | Some("") => name.push_str(NOTHING),
        // A value that equals the name for null is not null.
        Some(NOTHING) => {
            name.push_str("%5F");
            name.push_str(&NOTHING[1..]);
        }
        Some(value) => escape(value, &mut name),
    }
    if name.len() > LONGEST {
        let begin: String = value.unwrap_or_default().chars().take(60).collect();
        return Err(Error::usage(format!(
            "cannot partition by {column}: the value {begin:?}… makes the name of a directory of {} bytes, and file \
             systems take {LONGEST}; partition by another column",
            name.len()
        )));
    }
    Ok(name)
}

/// `%` and two hexadecimal digits for each character that Hive escapes (`FileUtils.escapePathName`), and for NUL,
/// which no file name can hold.
fn escape(text: &str, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    const ESCAPED: &[u8] = b"\"#%'*/:=?\\{[]^\x7f";
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) if byte < b' ' || ESCAPED.contains(&byte) => {
                out.push('%');
                out.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
            }
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_names() {
        // (value, name)
        let table = [
            (Some("http"), "k=http"),
            (Some("a b"), "k=a b"),
            (Some("été🦀"), "k=été🦀"),
            (Some("~!@$&()-_+}|;<>,."), "k=~!@$&()-_+}|;<>,."),
            (Some("\"#%'*/:=?\\{[]^"), "k=%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%5B%5D%5E"),
            (Some("\0\x01\t\n\x1f\x7f"), "k=%00%01%09%0A%1F%7F"),
            // Latin 1 is not ASCII: a control character of its upper half stays unescaped, as in Hive.
            (Some("\u{80}\u{ff}"), "k=\u{80}\u{ff}"),
            (Some("."), "k=."),
            (Some(".."), "k=.."),
            (Some("../../etc"), "k=..%2F..%2Fetc"),
            (Some(""), "k=__HIVE_DEFAULT_PARTITION__"),
            (None, "k=__HIVE_DEFAULT_PARTITION__"),
            (Some("__HIVE_DEFAULT_PARTITION__"), "k=%5F_HIVE_DEFAULT_PARTITION__"),
        ];
        for (value, name) in table {
            assert_eq!(segment("k", value).expect("short enough"), name, "{value:?}");
        }
        assert_eq!(segment("../a=b", Some("c")).expect("short enough"), "..%2Fa%3Db=c");
    }

    #[test]
    fn a_name_has_255_bytes_at_most() {
        assert_eq!(segment("k", Some(&"v".repeat(253))).expect("just so").len(), 255);
        for long in ["v".repeat(254), "é".repeat(127), "/".repeat(85)] {
            let error = segment("k", Some(&long)).expect_err("too long").to_string();
            assert!(error.starts_with("cannot partition by k: the value \""), "{error}");
            assert!(error.contains("bytes, and file systems take 255"), "{error}");
        }
    }
}
