//! What precedes the time in a line of a web server's log. Servers are configured to write several forms of it, and
//! each line is held against all of them, so that no value stands in the column of another:
//!
//! ```text
//! 192.0.2.1 - frank                       client, ident, user: Common Log Format
//! example.com:443 192.0.2.1 - frank       virtual host first: Debian's vhost_combined, Gandi, many of nginx
//! 192.0.2.1 example.com frank             virtual host for ident: OVH
//! 192.0.2.1, 198.51.100.7 - frank         the list of X-Forwarded-For for the client, in each of these
//! example.com 192.0.2.1 - 95386da8… frank the id of the request (32 hexadecimal digits) before the user
//! ```
//!
//! What tells them apart: an ident is `-`, or the name of a user, and never an address; a client behind a virtual host
//! is an address, or has the ident `-` after it; OVH's virtual host is a domain name after an address. A line that
//! could be of two forms is of none.

use memchr::memchr;

use super::{CLIENT, FORWARDED, IDENT, Places, REQUEST_ID, USER, VHOST, word};
use crate::batch::is_address;
use crate::read::format::host::host_and_port;
use crate::read::format::span;

/// Where the bracket stands that the time begins with: the first one after a space that is not part of an address.
#[inline]
pub(in crate::read) fn time_bracket(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr(b'[', &bytes[at..])?;
        if at > start && bytes[at - 1] == b' ' && !begins_with_literal(&bytes[at..]) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether an IPv6 address in brackets stands here. A time has a slash where that has none.
fn begins_with_literal(bytes: &[u8]) -> bool {
    if bytes.get(3) == Some(&b'/') {
        return false;
    }
    let inner = memchr(b']', bytes).map_or(&[][..], |end| &bytes[1..end]);
    is_address(inner)
}

/// The fields of the words from `start` to the end of `line`; or where they stop to be of a known form. Then a client
/// that is an address stays, and what precedes it: of other words it is not certain what they are.
#[inline]
pub(in crate::read) fn head(line: &[u8], start: usize, fields: &mut Places) -> Result<(), usize> {
    let read = forms(line, start, fields);
    if read.is_err() && !has_address(line, fields) {
        (fields[VHOST], fields[CLIENT], fields[FORWARDED]) = (None, None, None);
    }
    read
}

#[inline]
fn forms(line: &[u8], start: usize, fields: &mut Places) -> Result<(), usize> {
    let first = word(line, start)?;
    let second = word(line, first + 1)?;
    let words = (&line[start..first], &line[first + 1..second]);
    // By far the most.
    if words.1 == b"-" && memchr(b',', words.0).is_none() {
        fields[CLIENT] = Some(span(start, first));
        return names(line, first + 1, false, fields);
    }
    if words.0.contains(&b',') {
        let behind = client(line, start, fields)?;
        return names(line, behind, false, fields);
    }
    let is_client = is_address(words.1) || words.1.contains(&b',');
    let third = word(line, second + 1)?;
    let is_last = third == line.len();
    if !is_last && (is_client || &line[second + 1..third] == b"-") {
        if !is_host(words.0) {
            return Err(start);
        }
        fields[VHOST] = Some(span(start, first));
        let behind = client(line, first + 1, fields)?;
        return names(line, behind, true, fields);
    }
    if is_client {
        return Err(first + 1);
    }
    if !is_last {
        return Err(second + 1);
    }
    fields[CLIENT] = Some(span(start, first));
    names(line, first + 1, false, fields)
}

/// The client, or the list of addresses that a proxy tells, whose first is the client. Returns where the next word
/// begins.
fn client(line: &[u8], start: usize, fields: &mut Places) -> Result<usize, usize> {
    let mut end = word(line, start)?;
    let whole = &line[start..end];
    let len = memchr(b',', whole).unwrap_or(whole.len());
    while line[end - 1] == b',' {
        end = word(line, end + 1)?;
    }
    if len == 0 {
        return Err(start);
    }
    fields[CLIENT] = Some(span(start, start + len));
    fields[FORWARDED] = (len < end - start).then(|| span(start, end));
    Ok(end + 1)
}

/// Ident and user, or what stands for them.
#[inline]
fn names(line: &[u8], start: usize, has_vhost: bool, fields: &mut Places) -> Result<(), usize> {
    let ident = word(line, start)?;
    let user = ident + 1;
    let user_end = word(line, user)?;
    let is_one_word = user_end == line.len();
    let name = &line[start..ident];
    if name != b"-" {
        if is_address(name) {
            return Err(start);
        }
        if !has_vhost && is_one_word && is_domain(name) && has_address(line, fields) {
            (fields[VHOST], fields[USER]) = (Some(span(start, ident)), Some(span(user, user_end)));
            return Ok(());
        }
    }
    if is_one_word {
        (fields[IDENT], fields[USER]) = (Some(span(start, ident)), Some(span(user, user_end)));
        return Ok(());
    }
    let is_id = user_end - user == 32 && line[user..user_end].iter().all(u8::is_ascii_hexdigit);
    if is_id && word(line, user_end + 1) == Ok(line.len()) {
        fields[REQUEST_ID] = Some(span(user, user_end));
        (fields[IDENT], fields[USER]) = (Some(span(start, ident)), Some(span(user_end + 1, line.len())));
        return Ok(());
    }
    // Names of users may have spaces in them; but another field than a user's name may stand there as well.
    let text = &line[user..];
    if has_vhost || name != b"-" || text.starts_with(b"- ") || text.ends_with(b" -") {
        return Err(user);
    }
    (fields[IDENT], fields[USER]) = (Some(span(start, ident)), Some(span(user, line.len())));
    Ok(())
}

/// Whether the client is an address.
fn has_address(line: &[u8], fields: &Places) -> bool {
    fields[CLIENT].is_some_and(|client| is_address(&line[client.start as usize..][..client.len as usize]))
}

/// Whether a word may be a host with a port: it has no byte that would end one in a URI. The rest is the grammar's.
fn is_host(word: &[u8]) -> bool {
    let allowed = |&b: &u8| b.is_ascii_alphanumeric() || b >= 0x80 || b"-._~%!$&'()*+;=:[]".contains(&b);
    word.iter().all(allowed)
}

/// Whether a word is a name of several labels, the last of which no number, perhaps with a port.
fn is_domain(word: &[u8]) -> bool {
    let (host, _) = host_and_port(word);
    let is_label = |label: &[u8]| {
        !label.is_empty() && label.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    let last = host.rsplit(|&b| b == b'.').next().unwrap_or_default();
    host.contains(&b'.')
        && host.split(|&b| b == b'.').all(is_label)
        && last.len() > 1
        && (last.iter().all(u8::is_ascii_alphabetic) || last.starts_with(b"xn--"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a head by name, in the order of their places, and where it fails.
    fn read(line: &str) -> (String, Option<usize>) {
        let mut fields = [None; size_of::<Places>() / size_of::<Option<crate::simd::Span>>()];
        let fault = head(line.as_bytes(), 0, &mut fields).err();
        let names = [
            ("vhost", VHOST),
            ("client", CLIENT),
            ("forwarded", FORWARDED),
            ("ident", IDENT),
            ("id", REQUEST_ID),
            ("user", USER),
        ];
        let shown = names.iter().filter_map(|&(name, place)| {
            let field = fields[place]?;
            Some(format!("{name}={}", &line[field.start as usize..][..field.len as usize]))
        });
        (shown.collect::<Vec<_>>().join(" "), fault)
    }

    #[test]
    fn every_word_is_in_its_column_or_nowhere() {
        let id = "95386da81aa13b6ab3ce9c989e1e470e";
        // (what it is, the words before the time, fields, where it fails)
        let cases: &[(&str, &str, &str, Option<usize>)] = &[
            ("common", "1.2.3.4 - -", "client=1.2.3.4 ident=- user=-", None),
            ("common", "h.example frank al", "client=h.example ident=frank user=al", None),
            ("common", "1.2.3.4 frank al", "client=1.2.3.4 ident=frank user=al", None),
            ("common", "- - -", "client=- ident=- user=-", None),
            ("a name with spaces", "h - a b c", "client=h ident=- user=a b c", None),
            (
                "vhost",
                "example.com:443 1.2.3.4 - -",
                "vhost=example.com:443 client=1.2.3.4 ident=- user=-",
                None,
            ),
            ("vhost", "w 1.2.3.4 - al", "vhost=w client=1.2.3.4 ident=- user=al", None),
            ("vhost", "w 1.2.3.4 frank al", "vhost=w client=1.2.3.4 ident=frank user=al", None),
            ("vhost", "5.6.7.8 1.2.3.4 - -", "vhost=5.6.7.8 client=1.2.3.4 ident=- user=-", None),
            ("vhost", "[::1]:80 fe80::1 - -", "vhost=[::1]:80 client=fe80::1 ident=- user=-", None),
            (
                "vhost, names",
                "w.example c.example - al",
                "vhost=w.example client=c.example ident=- user=al",
                None,
            ),
            ("vhost unknown", "- 1.2.3.4 - -", "vhost=- client=1.2.3.4 ident=- user=-", None),
            ("ovh", "1.2.3.4 www.example.com al", "vhost=www.example.com client=1.2.3.4 user=al", None),
            ("ovh", "::1 www.example.com:8080 -", "vhost=www.example.com:8080 client=::1 user=-", None),
            ("no domain name", "1.2.3.4 a.1 -", "client=1.2.3.4 ident=a.1 user=-", None),
            (
                "list",
                "1.2.3.4, 5.6.7.8 - -",
                "client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8 ident=- user=-",
                None,
            ),
            ("list", "1.2.3.4,5.6.7.8 - -", "client=1.2.3.4 forwarded=1.2.3.4,5.6.7.8 ident=- user=-", None),
            (
                "list",
                "unknown, ::1, 9.9.9.9 - a b",
                "client=unknown forwarded=unknown, ::1, 9.9.9.9 ident=- user=a b",
                None,
            ),
            (
                "vhost, list",
                "w:80 1.2.3.4, 5.6.7.8 - al",
                "vhost=w:80 client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8 ident=- user=al",
                None,
            ),
            (
                "list, ovh",
                "1.2.3.4, 5.6.7.8 www.example.com al",
                "vhost=www.example.com client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8 user=al",
                None,
            ),
            (
                "id",
                &format!("w 1.2.3.4 - {id} -"),
                &format!("vhost=w client=1.2.3.4 ident=- id={id} user=-"),
                None,
            ),
            ("id", &format!("1.2.3.4 - {id} al"), &format!("client=1.2.3.4 ident=- id={id} user=al"), None),
            ("too few", "h", "", Some(1)),
            ("too few", "h -", "", Some(3)),
            ("too few", "w 1.2.3.4", "", Some(9)),
            ("two spaces", "h  - -", "", Some(2)),
            // Ident and client of another form, or a form that is not known.
            ("an address for the ident", "h 1.2.3.4 al", "", Some(2)),
            ("two addresses", "1.2.3.4 5.6.7.8 -", "", Some(8)),
            ("four words without a dash", "a b c d", "", Some(4)),
            ("a name with spaces behind a vhost", "w 1.2.3.4 - a b", "vhost=w client=1.2.3.4", Some(12)),
            ("one dash more", "1.2.3.4 - - -", "client=1.2.3.4", Some(10)),
            ("one word more", "1.2.3.4 - a -", "client=1.2.3.4", Some(10)),
            ("vhost without client", "w - - -", "", Some(4)),
            (
                "an address behind a list",
                "1.2.3.4, 5.6.7.8 9.9.9.9 -",
                "client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8",
                Some(17),
            ),
            ("a list that does not end", "1.2.3.4,", "", Some(8)),
            ("no host", "a/b 1.2.3.4 - -", "", Some(0)),
            ("no host", "u@h 1.2.3.4 - -", "", Some(0)),
        ];
        for (what, line, fields, fault) in cases {
            assert_eq!(read(line), ((*fields).to_owned(), *fault), "{what}: {line}");
        }
    }
}
