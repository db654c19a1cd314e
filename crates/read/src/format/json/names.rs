//! The names of the members of an object, for sentences that list them.

use serde_json::{Map, Value};

use crate::format::first_lines::lines;

/// The deepest nesting in which members are searched.
const DEEPEST: usize = 4;

/// The members of the first JSON object of an input, by name.
pub fn members_of_first(first: &[u8]) -> Vec<Vec<u8>> {
    lines(first).find_map(members).unwrap_or_default()
}

/// The names of the members within those of the first JSON object of an input, joined with a dot.
pub(crate) fn members_within_first(first: &[u8]) -> Vec<Vec<u8>> {
    lines(first).find_map(members_within).unwrap_or_default()
}

/// Calls `with` for each member of an object, and each nested member, with its path. `before` is the path of the
/// object.
pub fn each(before: &[&str], object: &Map<String, Value>, with: &mut dyn FnMut(&[&str], &Value)) {
    for (name, value) in object {
        let names = [before, &[name.as_str()]].concat();
        with(&names, value);
        if let Value::Object(inner) = value
            && names.len() <= DEEPEST
        {
            each(&names, inner, with);
        }
    }
}

/// The names of an object's members.
fn members(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    Some(first_object(line)?.keys().map(|name| name.clone().into_bytes()).collect())
}

/// The names of the members of its members.
fn members_within(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    each(&[], &first_object(line)?, &mut |path, _| {
        if path.len() > 1 {
            names.push(path.join(".").into_bytes());
        }
    });
    Some(names)
}

fn first_object(line: &[u8]) -> Option<Map<String, Value>> {
    // More of them may follow on the same line, as in an array.
    match serde_json::Deserializer::from_slice(line).into_iter::<Value>().next()?.ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}
