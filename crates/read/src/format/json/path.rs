//! Paths to a member within JSON: names with dots between them, numbers of elements in brackets, `a.b[0].c`. A name
//! that has a dot itself is in brackets and quotes: `["id.orig_h"]`. In format files `[*]` means every element.

/// The names of a path; the number of an element is a name of digits.
pub fn parts(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some((name, behind)) = rest.strip_prefix("[\"").and_then(|quoted| quoted.split_once("\"]")) {
            parts.push(name.to_owned());
            rest = behind.strip_prefix('.').unwrap_or(behind);
            continue;
        }
        if let Some((number, behind)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            parts.push(number.to_owned());
            rest = behind.strip_prefix('.').unwrap_or(behind);
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        parts.push(rest[..end].to_owned());
        rest = &rest[end..];
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_names_and_numbers() {
        let cases: &[(&str, &[&str])] = &[
            ("a", &["a"]),
            ("a.b", &["a", "b"]),
            ("a.b[0].c", &["a", "b", "0", "c"]),
            ("request.headers.User-Agent[0]", &["request", "headers", "User-Agent", "0"]),
            ("[\"id.orig_h\"]", &["id.orig_h"]),
            ("a[\"b.c\"].d", &["a", "b.c", "d"]),
            ("a[1][2]", &["a", "1", "2"]),
        ];
        for (path, expected) in cases {
            assert_eq!(parts(path), *expected, "{path}");
        }
    }
}
