//! The logs of web servers, compared with a reader that is not ours: regular expressions read the samples of other
//! projects, and 20,000 mutants. A value is in its own column or nowhere.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::net::Ipv6Addr;

use regex::bytes::{Captures, Regex};
use serde_json::{Value, json};
use urimill_testkit::moves::Random;
use urimill_testkit::paths::shared;
use urimill_testkit::reading::{Reading, Row, assert_has};

use super::access::{heads, line, rows};

/// The forms that lines have, each as an expression; the first that matches says what the fields are.
struct Reader {
    lines: Vec<Form>,
    /// The same up to the time.
    heads: Vec<Form>,
    port: Regex,
    /// A name of DNS.
    name: Regex,
    request: Regex,
}

/// An expression, and the groups of it that have to be addresses, perhaps with a port.
type Form = (Regex, &'static [&'static str]);

/// Whether a text is an address, in brackets or not.
fn is_address(text: &str) -> bool {
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let (bare, zone) = text.split_once('%').unwrap_or((text, "0"));
    let is_zone = !zone.is_empty() && zone.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let digits =
        |part: &str, most, radix| (1..=most).contains(&part.len()) && part.chars().all(|c| c.is_digit(radix));
    let byte = |part: &str| digits(part, 3, 10) && part.parse::<u16>().is_ok_and(|value| value < 256);
    let groups: Vec<&str> = bare.split(':').collect();
    let is_ipv6 = bare.parse::<Ipv6Addr>().is_ok()
        || (4..8).contains(&groups.len()) && groups.iter().all(|group| digits(group, 4, 16));
    text.split('.').count() == 4 && text.split('.').all(byte) || is_ipv6 && is_zone
}

/// Address and port of a text.
fn divided(text: &str) -> Option<(&str, &str)> {
    if is_address(text) {
        return Some((text, ""));
    }
    let (address, port) = text.rsplit_once(':')?;
    let is_port = (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit());
    (is_port && is_address(address)).then_some((address, port))
}

impl Reader {
    fn new() -> Reader {
        const END: &str = r"[0-9A-Fa-f.:%\[\]A-Za-z_-]+";
        const HOST: &str = r"[-A-Za-z0-9._~%!$&'()*+;=:\[\]\x80-\xff]+";
        const DOMAIN: &str = r"(?:[-_A-Za-z0-9]+\.)+(?:[A-Za-z]{2,}|xn--[-_A-Za-z0-9]*)(?::[0-9]*)?";
        // Words of which all but the last end with a comma.
        const LIST: &str =
            r#"(?P<list>(?P<first>[^ ,"][^ ,]*)(?:,[^ ]*[^ ,]|,(?:[^ ]*,)? (?:[^ ]*, )*[^ ]*[^ ,]))"#;
        const QUOTED: &str = r#""(?P<list>(?P<first>[^,"]+),[^"]*)""#;
        const NAMES: &str = r"(?P<ident>[^ ]+) +(?:(?P<id>[0-9A-Fa-f]{32}) )?(?P<user>[^ ]+)";
        const SPACED: &str = r"(?P<ident>-) +(?P<user>[^ ](?:.*[^ ])?)";
        const ABSENT: &str = "(?P<ident>-) +";
        let address = format!("(?P<client>{END})");
        let before = format!("(?P<before>{END})");
        let vhost = format!("(?P<vhost>{HOST})");
        const CLIENT: &[&str] = &["client"];
        const BOTH: &[&str] = &["client", "before"];
        let word = r#"(?P<client>[^ ,"][^ ,]*)"#;
        let mut heads: Vec<(String, &'static [&'static str])> = vec![
            (format!("{word} {ABSENT}"), &[]),
            (format!(r"{word} (?P<ident>-) +(?P<id>[0-9A-Fa-f]{{32}}) (?P<user>[^ ]+)"), &[]),
            (format!(r"{word} (?P<ident>-) +(?P<user>[^ ]+)"), &[]),
        ];
        for names in [NAMES, ABSENT] {
            heads.extend([
                (format!("{LIST} {address} {names}"), CLIENT),
                (format!("{QUOTED} {address} {names}"), CLIENT),
                (format!("{address} (?P<vhost>{DOMAIN}) {names}"), CLIENT),
                (format!("{before} {address} {names}"), BOTH),
                (format!(r#""{before}" {address} {names}"#), BOTH),
                (format!("\"?(?P<before>(?i-u:unknown))\"? {address} {names}"), CLIENT),
                (format!(r"(?P<before>(?i-u:unknown)) {LIST} {names}"), &[]),
                (format!(r#"(?P<vhost>"") {address} {names}"#), CLIENT),
                (format!(r#""{vhost}" {address} {names}"#), CLIENT),
                (format!("{vhost} {address} {names}"), CLIENT),
                (format!("{vhost} {LIST} {address} {names}"), CLIENT),
                (format!("{vhost} {QUOTED} {address} {names}"), CLIENT),
                (format!("{vhost} {LIST} {names}"), &[]),
                (format!("{vhost} {QUOTED} {names}"), &[]),
                (format!(r#"{vhost} "{address}" {names}"#), &[]),
            ]);
        }
        heads.extend([
            ("(?P<before>(?i-u:unknown)) (?P<client>[^ ,]+) (?P<ident>-) +(?:(?P<id>[0-9A-Fa-f]{32}) )?(?P<user>[^ ]+)".to_string(), &[] as &[_]),
            (format!("(?P<before>(?i-u:unknown)) (?P<client>[^ ,]+) {ABSENT}"), &[]),
            (
                format!(
                    r"{vhost} (?P<client>[^ ,]+) (?P<ident>-) +(?:(?P<id>[0-9A-Fa-f]{{32}}) )?(?P<user>[^ ]+)"
                ),
                &[] as &[_],
            ),
            (format!(r"{vhost} (?P<client>[^ ,]+) {ABSENT}"), &[]),
            (format!(r"{address} (?P<vhost>\[[0-9A-Fa-f.:]+\](?::[0-9]+)?) (?P<user>[^ ]+)"), CLIENT),
            (format!(r"{address} (?P<vhost>{DOMAIN}) +(?P<user>[^ ]+)"), CLIENT),
            (format!(r"{word} (?P<ident>[^ ,]+) +(?P<user>[^ ]+)"), &[]),
            (format!("{word} {SPACED}"), &[]),
            (format!(r"{LIST} (?P<vhost>{DOMAIN}) +(?P<user>[^ ]+)"), &["first"]),
        ]);
        for names in [NAMES, ABSENT, SPACED] {
            heads.extend([
                (format!("{LIST} {names}"), &[] as &[_]),
                (format!(r#""{address}" {names}"#), CLIENT),
                (format!("{QUOTED} {names}"), &[]),
            ]);
        }
        const TAIL: &str = r#" \[(?P<time>[^\]]*)\] (?:\((?P<seconds>[0-9]+) s\) )?"(?P<request>(?:[^"\\]|\\.)*)" +NUMBERS$"#;
        // With quotes in the request that have no backslash before them.
        const WILD: &str =
            r#" \[(?P<time>[^\]]*)\] (?:\((?P<seconds>[0-9]+) s\) )?"(?P<request>.* HTTP/[^ ]*)" +NUMBERS$"#;
        let all = |behind: &str| -> Vec<Form> {
            let form = |(head, addresses): &(String, &'static [&'static str])| {
                (Regex::new(&format!("(?s-u)^ *{head} *{behind}")).expect("a form"), *addresses)
            };
            heads.iter().map(form).collect()
        };
        let one = |expression: &str| Regex::new(expression).expect("an expression");
        // A word that is not a number at all has a quote or the end after both.
        const NUMBERS: [&str; 3] = [
            r#"(?P<status>[0-9]{3}|-|0) +(?P<size>-?[0-9]*)(?P<rest>(?: .*)?)"#,
            r#"(?P<status>[^0-9 "][^ "]*) +(?P<size>-?[0-9]*)(?P<rest>(?: +".*| *)?)"#,
            r#"(?P<status>[0-9]{3}|-|0) +(?P<size>[^ "]+)(?P<rest>(?: +".*| *)?)"#,
        ];
        let forms =
            [TAIL, WILD].into_iter().flat_map(|tail| NUMBERS.map(|numbers| tail.replace("NUMBERS", numbers)));
        let lines = forms.flat_map(|tail| all(&tail)).collect();
        Reader {
            lines,
            heads: all(r" \["),
            port: one(r"(?-u)^(?P<host>[^:]*|.*\]):(?P<port>[0-9]*)$"),
            name: one(
                r"(?-u)^(?:[A-Za-z0-9_](?:[-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?\.)*(?P<last>[A-Za-z0-9_](?:[-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?)\.?$",
            ),
            request: one(
                r"(?s-u)^[ \t]*(?P<method>[-!#$%&'*+.^_`|~0-9A-Za-z]+)[ \t]+(?P<target>[^ \t].*?)(?:[ \t]+(?P<protocol>HTTP/[^ \t]*))?\s*$",
            ),
        }
    }

    /// Client and port as the columns have them.
    fn client(&self, found: &Captures<'_>) -> (Value, Value) {
        let name = if found.name("client").is_some() { "client" } else { "first" };
        let text = field(found, name);
        let Some(text) = text.as_str() else { return (Value::Null, Value::Null) };
        if let Some((address, port)) = divided(text) {
            let bare = address.trim_start_matches('[').trim_end_matches(']');
            return (json!(bare), json!(port.parse::<i32>().ok()));
        }
        let is_name = |found: Captures<'_>| !found["last"].iter().all(u8::is_ascii_digit);
        let is_name = self.name.captures(text.as_bytes()).is_some_and(is_name) && text.len() < 254;
        (Some(text).filter(|text| is_name && !text.eq_ignore_ascii_case("unknown")).into(), Value::Null)
    }

    fn fields<'l>(&self, line: &'l [u8]) -> Option<Captures<'l>> {
        // Quotes around a line are not part of it.
        let inner = || line.strip_prefix(b"\"")?.strip_suffix(b"\"");
        first(&self.lines, line).or_else(|| first(&self.lines, inner()?))
    }

    /// Where the line may break off after the time.
    fn head<'l>(&self, line: &'l [u8]) -> Option<Captures<'l>> {
        first(&self.heads, line)
    }
}

/// The fields by the first form that the line has.
fn first<'l>(forms: &[Form], line: &'l [u8]) -> Option<Captures<'l>> {
    forms.iter().find_map(|(form, addresses)| {
        let is_end = |found: &Captures<'_>, name: &str| {
            let text = found.name(name).map(|found| String::from_utf8_lossy(found.as_bytes()));
            text.is_some_and(|text| divided(&text).is_some())
        };
        // An address is neither ident nor user.
        let has_names = |found: &Captures<'_>| !is_end(found, "ident") && !is_end(found, "user");
        let is_form =
            |found: &Captures<'_>| has_names(found) && addresses.iter().all(|name| is_end(found, name));
        form.captures(line).filter(is_form)
    })
}

/// A field as its column has it.
fn field(found: &Captures<'_>, name: &str) -> Value {
    match found.name(name).map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned()) {
        Some(text) if text != "-" => json!(text),
        _ => Value::Null,
    }
}

/// A field as its column has it: without the escapes that servers write, or Apache's sign for a user without a name.
fn plain(found: &Captures<'_>, name: &str) -> Value {
    let Value::String(text) = field(found, name) else { return Value::Null };
    if name == "user" && text == "\"\"" {
        return json!("");
    }
    let escape = Regex::new(r#"\\(?:x(?<byte>[0-9a-fA-F]{2})|(?<own>["\\]))"#).expect("an expression");
    let text_of = escape.replace_all(text.as_bytes(), |found: &Captures<'_>| match found.name("byte") {
        Some(digits) => {
            vec![u8::from_str_radix(&String::from_utf8_lossy(digits.as_bytes()), 16).expect("a byte")]
        }
        None => found["own"].to_vec(),
    });
    json!(String::from_utf8(text_of.into_owned()).unwrap_or(text))
}

/// Holds a row against what the expressions find in its line.
fn assert_same(reader: &Reader, row: &Row, found: &Captures<'_>, what: &str) {
    let (client, client_port) = reader.client(found);
    assert_eq!((&row["client"], &row["client_port"]), (&client, &client_port), "{what}");
    let list = plain(found, if found.name("list").is_some() { "list" } else { "before" });
    assert_eq!(row["forwarded_for"], list, "{what}");
    assert_eq!((&row["ident"], &row["user"]), (&plain(found, "ident"), &plain(found, "user")), "{what}");
    let vhost = field(found, "vhost");
    let is_none = |vhost: &Value| matches!(vhost.as_str(), Some("_" | "\"\"" | ""));
    let vhost = Some(vhost).filter(|vhost| !is_none(vhost)).unwrap_or_default();
    let split = vhost.as_str().and_then(|vhost| reader.port.captures(vhost.as_bytes()));
    match split {
        None => assert_eq!((&row["vhost"], &row["vhost_port"]), (&vhost, &Value::Null), "{what}"),
        Some(split) => {
            let host = json!(String::from_utf8_lossy(&split["host"]));
            assert_eq!(row["vhost"], Some(host).filter(|host| !is_none(host)).unwrap_or_default(), "{what}");
            let port = std::str::from_utf8(&split["port"]).expect("digits").parse::<i32>().ok();
            assert_eq!(row["vhost_port"], json!(port), "{what}");
        }
    }
    for (column, name) in [("status", "status"), ("size", "size")] {
        let number = field(found, name);
        let number = number.as_str().and_then(|text| text.parse::<i64>().ok());
        let number = number.filter(|&number| column == "size" || i32::try_from(number).is_ok());
        assert_eq!(row[column], json!(number), "{what}: {column}");
    }
    let extra: BTreeMap<_, _> = [("request_id", "id"), ("seconds", "seconds")]
        .into_iter()
        .filter_map(|(member, name)| Some((member, field(found, name).as_str()?.to_owned())))
        .collect();
    let shown = row["extra"].as_str().map(|text| serde_json::from_str::<Value>(text).expect("an object"));
    assert_eq!(shown, (!extra.is_empty()).then(|| json!(extra)), "{what}");
    let parts = reader.request.captures(&found["request"]);
    let part = |name: &str| parts.as_ref().map_or(Value::Null, |parts| field(parts, name));
    assert_eq!((&row["method"], &row["protocol"]), (&part("method"), &part("protocol")), "{what}");
    let target = parts.as_ref().map(|parts| &parts["target"]);
    if row["error"].is_null()
        && target.is_some_and(|target| target.starts_with(b"/") && !target.contains(&b'\\'))
    {
        let target = String::from_utf8_lossy(target.expect("a target")).into_owned();
        let read = row["raw"].as_str().or(row["uri"].as_str());
        assert_eq!(read, Some(target.as_str()), "{what}");
    }
}

const SAMPLES: &[&str] = &[
    "matomo_ovh.log",
    "matomo_common_vhost.log",
    "matomo_gandi.log",
    "matomo_ncsa_extended.log",
    "matomo_common_complete.log",
    "matomo_common.log",
    "matomo_common_encoding_big5.log",
    "matomo_static_ignores.log",
    "matomo_icecast2.log",
    "crowdsec_bunkerweb.log",
    "crowdsec_apache2_malformed.log",
    "crowdsec_nginx_malformed.log",
    "crowdsec_litespeed.log",
];

/// The lines of a log that have a row.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty())
}

#[test]
fn samples_are_what_regular_expressions_read() {
    let Some(corpora) = shared().map(|shared| shared.join("corpora")) else { return };
    let reader = Reader::new();
    let mut compared = 0;
    for name in SAMPLES {
        let bytes = fs::read(corpora.join("logs").join(name)).expect("a sample");
        let rows = rows("", &bytes);
        assert_eq!(rows.len(), lines(&bytes).count(), "{name}");
        for (row, line) in rows.iter().zip(lines(&bytes)) {
            let what = format!("{name}: {}", line.escape_ascii());
            match reader.fields(line) {
                Some(found) => assert_same(&reader, row, &found, &what),
                None => assert_has(
                    row,
                    &json!({"error": "record_malformed", "client": null, "vhost": null}),
                    &what,
                ),
            }
            compared += 1;
        }
        // Where the host is known, so is the URI.
        let is_pattern = |row: &&Row| row["vhost"].as_str().is_some_and(|host| host.contains('*'));
        let uris = rows.iter().filter(|row| row["error"].is_null() && !row["vhost"].is_null());
        let uris = uris.filter(|row| !is_pattern(row));
        uris.for_each(|row| assert_eq!(row["host"], row["vhost"], "{name}"));
    }
    assert!(compared > 30, "{compared}");
    // The corpus of real requests: no target has become a host.
    let log = corpora.join("apache_access_semicomplete.log");
    let formats = std::iter::once(urimill_logs::access::ROW);
    let rows = Reading::named("clf --columns uri,raw,host", formats).rows_of(&log);
    assert_eq!(rows.len(), 10_000);
    let icon = rows.iter().find(|row| row["raw"] == json!("//favicon.ico")).expect("it is there");
    assert_has(icon, &json!({"uri": "/.//favicon.ico", "host": null}), "semicomplete");
    assert!(rows.iter().all(|row| row["host"] != json!("favicon.ico")));
}

#[test]
fn mutants_have_their_values_in_their_columns_or_nowhere() {
    compare_mutants(2_000);
}

#[test]
#[ignore = "takes a minute without optimization"]
fn many_mutants_have_their_values_in_their_columns_or_nowhere() {
    compare_mutants(20_000);
}

fn compare_mutants(count: usize) {
    const PIECES: &[&str] = &[
        " ",
        "-",
        " - ",
        ",",
        ", ",
        ":443",
        "[",
        "]",
        "\"",
        "\\",
        "1.2.3.4",
        "a.example",
        "::1",
        "(0 s) ",
        "/",
        "//",
        "HTTP/1.1",
        "*",
        "@",
        "95386da81aa13b6ab3ce9c989e1e470e",
        "\\x2f",
        "é",
    ];
    let seeds: Vec<String> = heads().iter().map(|(head, _)| line(head, "GET //a HTTP/1.1")).collect();
    let mut random = Random(7);
    let mut input = String::new();
    for _ in 0..count {
        let mut text = seeds[random.below(seeds.len())].trim_end().to_owned();
        for _ in 0..=random.below(3) {
            let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = bounds[random.below(bounds.len().min(90))];
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
                _ => text.truncate(if random.below(8) == 0 { at } else { text.len() }),
            }
            // A line of white space alone does not count.
            if text.trim().is_empty() {
                text.push('x');
            }
        }
        let _ = writeln!(input, "{text}");
    }
    let rows = rows("", &input);
    assert_eq!(rows.len(), count);
    let reader = Reader::new();
    let ip = Regex::new(r"(?-u)^([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9A-Fa-f:.\[\]]*:[0-9A-Fa-f:.\[\]]*)$")
        .expect("an expression");
    let (mut read, mut refused) = (0, 0);
    for (row, line) in rows.iter().zip(lines(input.as_bytes())) {
        let what = String::from_utf8_lossy(line).into_owned();
        let is_refused = row["error"] == json!("record_malformed") && row["uri"] == json!(what);
        match reader.fields(line) {
            Some(found) if !is_refused => {
                assert_same(&reader, row, &found, &what);
                read += 1;
            }
            // Who is careful may refuse more; whoever was read in part is where he was.
            _ => {
                assert!(is_refused, "{what}: {row:?}");
                if let Some(client) = row["client"].as_str() {
                    let is_found = |head| reader.client(&head).0 == json!(client);
                    let is_right = ip.is_match(client.as_bytes()) || reader.head(line).is_some_and(is_found);
                    assert!(is_right, "{what}: {row:?}");
                }
                let are_null = |names: &[&str]| names.iter().any(|name| row[*name].is_null());
                assert!(
                    are_null(&["user", "time", "status"])
                        || row["referer"].is_null() && row["user_agent"].is_null(),
                    "{what}: {row:?}"
                );
                refused += 1;
            }
        }
    }
    assert!(read > count / 20 && refused > count / 20, "{read} {refused}");
}
