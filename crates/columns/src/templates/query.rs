//! The template of a query: names in order, with the kind of each value.

use super::ANY;
use super::segment::{is_date, is_number};
use super::words::{CAMPAIGNS, DISPATCHERS, SEARCHES, has, is_session};

/// The number of parameters that a template shows with their names.
const MOST_PARAMS: usize = 16;

/// The longest name in a template.
const LONGEST_NAME: usize = 40;

/// Appends `?` and the template of a query; nothing if no parameter is left.
pub(super) fn write(query: &str, out: &mut String) {
    let mut params: [(&str, &str); MOST_PARAMS] = [("", ""); MOST_PARAMS];
    let (mut count, mut is_cut) = (0, false);
    let mut rest = query;
    while !rest.is_empty() {
        let (param, behind) = match memchr::memchr(b'&', rest.as_bytes()) {
            Some(and) => (&rest[..and], &rest[and + 1..]),
            None => (rest, ""),
        };
        rest = behind;
        let (name, value) = match memchr::memchr(b'=', param.as_bytes()) {
            Some(equals) => (element(&param[..equals]), kind(&param[..equals], &param[equals + 1..])),
            None => (bare(param), ""),
        };
        if name.is_empty() || name.starts_with("utm_") || has(CAMPAIGNS, name) {
            continue;
        }
        if count == MOST_PARAMS {
            is_cut = true;
            break;
        }
        params[count] = (name, value);
        count += 1;
    }
    if count == 0 {
        return;
    }
    let params = &mut params[..count];
    params.sort_unstable();
    let mut last = None;
    for (name, value) in params.iter().copied() {
        // Elements of one list, and repeated parameters.
        if last == Some(name) {
            continue;
        }
        out.push(if last.is_none() { '?' } else { '&' });
        last = Some(name);
        out.push_str(name);
        if !value.is_empty() {
            out.push('=');
            out.push_str(value);
        }
    }
    if is_cut {
        out.push('&');
        out.push_str(ANY);
    }
}

/// The name of a parameter, without the number of an element: `ids` of `ids[3]`.
fn element(name: &str) -> &str {
    if name.len() > LONGEST_NAME {
        return ANY;
    }
    if name.ends_with(']')
        && let Some(open) = name.find('[')
        && name[open + 1..].strip_suffix(']').is_some_and(|inner| inner.bytes().all(|b| b.is_ascii_digit()))
    {
        return &name[..open];
    }
    match is_number(name) {
        true => "{number}",
        false => name,
    }
}

/// A parameter without a value: a word, or a value without a name.
fn bare(param: &str) -> &str {
    match param {
        _ if is_number(param) => "{number}",
        _ if param.len() <= 24
            && param.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_')) =>
        {
            param
        }
        "" => "",
        _ => ANY,
    }
}

/// The placeholder of a value.
fn kind<'a>(name: &str, value: &'a str) -> &'a str {
    let is_word = |longest| {
        !value.is_empty()
            && value.len() <= longest
            && value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b'/' | b'.'))
    };
    if is_session(name) {
        "{session}"
    } else if has(DISPATCHERS, name) && is_word(32) {
        value
    } else if has(SEARCHES, name) {
        ANY
    } else if is_number(value) {
        "{number}"
    } else if is_date(value) {
        "{date}"
    } else {
        ANY
    }
}
