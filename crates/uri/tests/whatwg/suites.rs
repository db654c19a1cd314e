//! The web platform tests and those of ada: every row, without exceptions. They are among the shared data, which a
//! clone elsewhere lacks.

use std::fs;

use serde_json::Value;
use urimill_testkit::shared;
use urimill_uri::whatwg::Url;

/// The rows of a suite, comments left out; none without the shared data.
fn rows(file: &str) -> Vec<Value> {
    let Some(folder) = shared::folder() else {
        return Vec::new();
    };
    let path = folder.join("suites/wpt").join(file);
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = lossy(String::from_utf8(text).unwrap());
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    rows.into_iter().filter(Value::is_object).collect()
}

/// Lone surrogates, which JSON can write and UTF-8 cannot, as U+FFFD: so the API of browsers converts them.
fn lossy(text: String) -> String {
    let escape = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("\\u") {
        let start = at + found;
        out.push_str(&text[at..start]);
        let is_pair = |next: Option<u16>| next.is_some_and(|next| (0xdc00..0xe000).contains(&next));
        let len = match escape(start) {
            Some(0xd800..0xdc00) if is_pair(escape(start + 6)) => 12,
            Some(0xd800..0xe000) => {
                out.push_str("\\ufffd");
                at = start + 6;
                continue;
            }
            _ => 2,
        };
        out.push_str(&text[start..start + len]);
        at = start + len;
    }
    out.push_str(&text[at..]);
    out
}

/// A URL by the API, member by member, as far as the row has it.
fn differences(url: &Url<'_>, row: &Value) -> Vec<String> {
    let members = [
        ("href", url.href().to_owned()),
        ("origin", url.origin().into_owned()),
        ("protocol", url.protocol().to_owned()),
        ("username", url.username().to_owned()),
        ("password", url.password().to_owned()),
        ("host", url.host().to_owned()),
        ("hostname", url.hostname().to_owned()),
        ("port", url.port().to_owned()),
        ("pathname", url.pathname().to_owned()),
        ("search", url.search().to_owned()),
        ("hash", url.hash().to_owned()),
    ];
    let told = members.into_iter().filter_map(|(name, got)| {
        let expected = row[name].as_str()?;
        (got != expected).then(|| format!("{name} is {got:?} and should be {expected:?}"))
    });
    told.collect()
}

fn judge(row: &Value) -> Vec<String> {
    let input = row["input"].as_str().unwrap();
    let failure = row["failure"].as_bool() == Some(true);
    let base = match row["base"].as_str().map(|base| Url::parse(base, None)) {
        None => None,
        Some(Ok(base)) => Some(base),
        Some(Err(_)) if failure => return Vec::new(),
        Some(Err(error)) => return vec![format!("the base fails: {error}")],
    };
    let (validated, errors) = Url::validate(input, base.as_ref());
    let parsed = Url::parse(input, base.as_ref());
    assert_eq!(parsed, validated, "{row}");
    assert_eq!(Url::can_parse(input, base.as_ref()), parsed.is_ok(), "{row}");
    assert!(errors.iter().all(|&(_, at)| at <= input.len()), "{row}: {errors:?}");
    match parsed {
        Ok(_) if failure => vec!["it has a URL and should have none".to_owned()],
        Err(_) if failure => Vec::new(),
        Err(error) => vec![format!("it fails: {error}")],
        Ok(url) => {
            let mut told = differences(&url, row);
            // A serialized URL is parsed to the same.
            match Url::parse(url.href(), None) {
                Ok(again) if again.href() == url.href() && again.split() == url.split() => {}
                again => told.push(format!("its serialization has {again:?}")),
            }
            told
        }
    }
}

fn check(file: &str, least: usize) {
    let rows = rows(file);
    if shared::folder().is_some() {
        assert!(rows.len() >= least, "{file} is incomplete: {} rows", rows.len());
    }
    let told: Vec<_> =
        rows.iter().map(|row| (row, judge(row))).filter(|(_, told)| !told.is_empty()).collect();
    for (row, told) in &told {
        eprintln!("{} with base {}: {}", row["input"], row["base"], told.join("; "));
    }
    assert!(told.is_empty(), "{file}: {} of {} rows differ", told.len(), rows.len());
}

#[test]
fn urls_of_the_web_platform_tests() {
    check("urltestdata.json", 880);
    check("urltestdata-javascript-only.json", 1);
}

#[test]
fn urls_of_ada() {
    check("ada_extra_urltestdata.json", 28);
    check("ada_long_urltestdata.json", 1);
}

/// The suite has queries in many encodings; those in UTF-8 are the standard's without documents.
#[test]
fn percent_encoding() {
    let rows = rows("percent-encoding.json");
    assert!(rows.len() >= 7 || rows.is_empty(), "the suite is incomplete: {} rows", rows.len());
    for row in rows {
        let (input, expected) = (row["input"].as_str().unwrap(), row["output"]["utf-8"].as_str().unwrap());
        let text = format!("https://h/?{input}#{input}");
        let url = Url::parse(&text, None).unwrap();
        assert_eq!((url.query(), url.fragment()), (Some(expected), Some(expected)), "{input:?}");
    }
}

/// Seal script, which Unicode 18 has added: the suite was made for Unicode 17 and says that it is unassigned.
const ASSIGNED_SINCE: fn(char) -> bool = |c| ('\u{3d000}'..='\u{3fc3f}').contains(&c);

/// A domain to ASCII is the host of a URL.
#[test]
fn domains_to_ascii() {
    let mut differing = 0;
    for (file, least) in [("toascii.json", 80), ("IdnaTestV2.json", 2600), ("IdnaTestV2-removed.json", 20)] {
        let rows = rows(file);
        assert!(rows.len() >= least || rows.is_empty(), "{file} is incomplete: {} rows", rows.len());
        for row in rows {
            let input = row["input"].as_str().unwrap();
            // No URL can ask for the empty domain.
            if input.is_empty() || input.contains(ASSIGNED_SINCE) {
                continue;
            }
            // A delimiter of a URL would end the host, so the suite's own test percent-encodes it.
            let host: String = input
                .bytes()
                .map(|byte| match byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') {
                    true => char::from(byte).to_string(),
                    false => format!("%{byte:02x}"),
                })
                .collect();
            for host in [host.as_str(), input] {
                if host == input && input.contains(['/', '?', '#', '\\', '@', ':', '\t', '\n', '\r', ' ']) {
                    continue;
                }
                let text = format!("https://{host}/x");
                let got = Url::parse(&text, None);
                let got = got.as_ref().ok().map(Url::hostname);
                let expected = row["output"].as_str();
                if got != expected {
                    eprintln!("{file}: {host:?} is {got:?} and should be {expected:?} ({row})");
                    differing += 1;
                }
            }
        }
    }
    assert_eq!(differing, 0);
}
