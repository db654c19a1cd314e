//! The entry of a record in the index, as the tools read the record: cdxj-indexer and pywb, which parse records by
//! warcio.

use std::borrow::Cow;
use std::fmt::Write;

use data_encoding::BASE32;
use urimill_base::calendar::day_of;
use urimill_read::Block;
use urimill_read::format::RecordTypes;
use urimill_read::format::headers::arc_words;
use urimill_read::http::Message;
use urimill_uri::UriRef;
use urimill_uri::canonical::surt;
use urimill_uri::normalize::RepairOptions;
use urimill_uri::normalize::repair_with;
use urimill_uri::resolve::{Mode, resolve};

use super::post;
use super::post::Post;
use super::tool::Like;

/// The entry of a record in the index.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Fourteen digits.
    pub(super) timestamp: String,
    pub(super) url: String,
    pub(super) mime: Option<String>,
    pub(super) mime_detected: Option<String>,
    pub(super) status: Option<String>,
    pub(super) digest: Option<String>,
    pub(super) metadata: Option<String>,
    /// The resolved target of an answer of 3xx.
    pub(super) redirect: Option<String>,
    pub(super) length: Option<u64>,
    pub(super) offset: u64,
    /// The method of the request in the key, if this is its answer.
    pub(super) method: Option<String>,
    /// The body of that request, as arguments.
    pub(super) request_body: Option<String>,
}

/// Records without a line, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Records of a type that is not indexed, or that describe crawls and files.
    pub types: u64,
    /// Without a target.
    pub without_target: u64,
    /// Without a time that can be read.
    pub without_time: u64,
    /// Responses without a status.
    pub without_status: u64,
    /// Malformed records, or records whose header is too long.
    pub damaged: u64,
    /// Records of a file that is compressed as a whole: none can be read by itself.
    pub unreachable: u64,
}

/// The reason why a record has no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    Type,
    Target,
    Time,
    Status,
    /// It cannot be read by itself: the file is compressed as a whole.
    Unreachable,
}

impl LeftOut {
    pub(super) fn count(&mut self, reason: Reason) {
        *match reason {
            Reason::Unreachable => &mut self.unreachable,
            Reason::Type => &mut self.types,
            Reason::Target => &mut self.without_target,
            Reason::Time => &mut self.without_time,
            Reason::Status => &mut self.without_status,
        } += 1;
    }

    pub(super) fn add(&mut self, other: &LeftOut) {
        self.types += other.types;
        self.without_target += other.without_target;
        self.without_time += other.without_time;
        self.without_status += other.without_status;
        self.damaged += other.damaged;
        self.unreachable += other.unreachable;
    }

    /// All of them.
    pub fn all(&self) -> u64 {
        let without = self.without_target + self.without_time + self.without_status;
        self.types + without + self.damaged + self.unreachable
    }
}

impl Entry {
    /// The entry of a record, or the reason why it has none. `post` is the request that it is, or that it answers.
    pub(super) fn of(
        block: &Block<'_>,
        (like, types): (Like, Option<&RecordTypes>),
        is_arc: bool,
        post: Option<&Post>,
    ) -> Result<Entry, Reason> {
        let mut entry = match is_arc {
            true => of_arc(block, like)?,
            false => of_warc(block, like, types)?,
        };
        if entry.url.is_empty() {
            return Err(Reason::Target);
        }
        entry.key = match post {
            Some(post) => key(&post.with(&entry.url, like)),
            None => key(&entry.url),
        };
        if let Some(post) = post.filter(|_| !post::is_one(block.bytes)) {
            (entry.method, entry.request_body) = (Some(post.method.clone()), Some(post.body.clone()));
        }
        (entry.offset, entry.length) = (block.stored.ok_or(Reason::Unreachable)?, block.stored_len);
        Ok(entry)
    }
}

/// The headers of an HTTP message.
struct Http<'a>(&'a [u8]);

impl<'a> Http<'a> {
    /// The headers at the beginning of a block; `None` if it does not begin with words.
    fn of(block: &'a [u8]) -> Option<Http<'a>> {
        (!block.trim_ascii().is_empty()).then_some(Http(block))
    }

    /// The text after the first word of the first line.
    fn status_line(&self) -> Cow<'a, str> {
        let line = self.0.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii_end();
        let rest = line.iter().position(|&b| b == b' ').map_or(&line[line.len()..], |at| &line[at + 1..]);
        decoded(rest.trim_ascii())
    }

    fn status(&self) -> String {
        self.status_line().split(' ').next().unwrap_or_default().to_owned()
    }

    fn content_type(&self) -> Option<Cow<'a, str>> {
        field(self.0, b"content-type")
    }

    /// The target of an answer of 3xx from `url` (RFC 9110, 10.2.2); as written if it is not a reference.
    fn redirect(&self, url: &str) -> Option<String> {
        if !self.status().starts_with('3') {
            return None;
        }
        let location = field(self.0, b"location").filter(|location| !location.is_empty())?;
        let target = UriRef::parse(url).ok().zip(UriRef::parse(&*location).ok());
        let resolved = target
            .and_then(|(base, target)| Some(resolve(&base, &target, Mode::default()).ok()?.into_owned()));
        Some(resolved.unwrap_or_else(|| location.into_owned()))
    }
}

/// The first field of a header with this name.
fn field<'a>(header: &'a [u8], name: &[u8]) -> Option<Cow<'a, str>> {
    let (_, value) = Block::fields(header).find(|(own, _)| own.eq_ignore_ascii_case(name))?;
    Some(match value {
        Cow::Borrowed(value) => decoded(value),
        Cow::Owned(value) => Cow::Owned(decoded(&value).into_owned()),
    })
}

/// UTF-8, or else ISO 8859-1.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect()),
    }
}

fn of_warc(block: &Block<'_>, like: Like, types: Option<&RecordTypes>) -> Result<Entry, Reason> {
    let own = |name: &[u8]| field(block.header, name);
    let kind = own(b"warc-type").unwrap_or_default();
    let content_type = own(b"content-type");
    let is_listed = match types {
        Some(types) => types.has(Some(kind.as_bytes())),
        None => match like {
            Like::CdxjIndexer => matches!(&*kind, "response" | "revisit" | "resource" | "metadata"),
            Like::Pywb => !matches!(&*kind, "request" | "warcinfo"),
        },
    };
    // Information of a crawler about itself is not shown.
    let is_description = types.is_none()
        && content_type.as_deref() == Some("application/warc-fields")
        && (like == Like::Pywb || matches!(&*kind, "resource" | "metadata"));
    if !is_listed || is_description {
        return Err(Reason::Type);
    }
    let url = own(b"warc-target-uri").ok_or(Reason::Target)?;
    let url = url.strip_prefix('<').and_then(|url| url.strip_suffix('>')).unwrap_or(&url);
    let url = url.replace(' ', "%20");
    let timestamp = own(b"warc-date").and_then(|date| timestamp(&date)).ok_or(Reason::Time)?;
    let is_message = matches!(&*kind, "response" | "request" | "revisit");
    let is_web = url.starts_with("http:") || url.starts_with("https:");
    // The block of a request may include its body.
    let head = || Message::of(block.bytes).map_or(block.bytes, |message| message.head);
    let head = if &*kind == "request" { head() } else { block.bytes };
    let http = if is_message && is_web { Http::of(head) } else { None };
    let redirect = http.as_ref().filter(|_| &*kind == "response").and_then(|http| http.redirect(&url));
    let mut entry = Entry { url, timestamp, redirect, ..Entry::default() };
    let digest = own(b"warc-payload-digest").filter(|digest| !digest.is_empty());
    match like {
        Like::CdxjIndexer => {
            let value = match &*kind {
                "revisit" => Some("warc/revisit".into()),
                "response" | "request" => http.as_ref().and_then(Http::content_type),
                _ => content_type,
            };
            entry.mime = value.map(|value| {
                let end = value.find(|c: char| c == ';' || c.is_whitespace()).unwrap_or(value.len());
                value[..end].to_owned()
            });
            let has_status = matches!(&*kind, "response" | "revisit");
            entry.status = http.as_ref().filter(|_| has_status).map(Http::status);
            let made = || block.digest.map(|digest| format!("sha1:{}", BASE32.encode(&digest)));
            entry.digest = digest.map(Cow::into_owned).or_else(made);
        }
        Like::Pywb => {
            entry.metadata = own(b"warc-json-metadata").map(Cow::into_owned);
            let status = http.as_ref().map_or("200".to_owned(), Http::status);
            if status == "-" {
                return Err(Reason::Status);
            }
            if &*kind == "revisit" {
                entry.mime = Some("warc/revisit".to_owned());
            } else {
                let value = match &http {
                    Some(http) => http.content_type(),
                    None => content_type,
                };
                let value = value.filter(|value| !value.is_empty());
                let mime = value.map(|value| value.split([';', ' ']).next().unwrap_or_default().to_owned());
                entry.mime = Some(mime.unwrap_or_else(|| "unk".to_owned()));
                entry.mime_detected = own(b"warc-identified-payload-type").map(Cow::into_owned);
            }
            if &*kind == "metadata" && entry.mime.as_deref() == Some("text/anvl") {
                return Err(Reason::Type);
            }
            let is_error = || http.as_ref().is_some_and(|http| http.status_line().contains("Error"));
            let has_status = &*kind == "response" && !status.is_empty() && !(status == "204" && is_error());
            entry.status = has_status.then_some(status);
            let made = || block.digest.map(|digest| BASE32.encode(&digest));
            let bare = digest.map(|digest| digest.strip_prefix("sha1:").unwrap_or(&digest).to_owned());
            entry.digest = bare.or_else(made);
        }
    }
    Ok(entry)
}

fn of_arc(block: &Block<'_>, like: Like) -> Result<Entry, Reason> {
    let [url, time, mime] = arc_words(block.header).ok_or(Reason::Target)?;
    if url.starts_with(b"filedesc:") {
        return Err(Reason::Type);
    }
    let url =
        decoded(url).replace('\r', "%0D").replace('\n', "%0A").replace('\u{c}', "%0C").replace('\0', "%00");
    // pywb leaves it unchanged.
    let url = if like == Like::CdxjIndexer { url.replace(' ', "%20") } else { url };
    let is_web = url.starts_with("http:") || url.starts_with("https:");
    let http = if is_web { Http::of(block.bytes) } else { None };
    let digits = time.iter().take_while(|b| b.is_ascii_digit()).count().min(14);
    if digits != 14 {
        return Err(Reason::Time);
    }
    let timestamp = decoded(&time[..14]).into_owned();
    let redirect = http.as_ref().and_then(|http| http.redirect(&url));
    let mut entry = Entry { url, timestamp, redirect, ..Entry::default() };
    let made = block.digest.map(|digest| BASE32.encode(&digest));
    match like {
        Like::CdxjIndexer => {
            entry.mime = http.as_ref().and_then(Http::content_type).map(|value| {
                let end = value.find(|c: char| c == ';' || c.is_whitespace()).unwrap_or(value.len());
                value[..end].to_owned()
            });
            entry.status = http.as_ref().map(Http::status);
            entry.digest = made.map(|digest| format!("sha1:{digest}"));
        }
        Like::Pywb => {
            let mime = decoded(mime);
            let mime = mime.split([';', ' ']).next().filter(|mime| !mime.is_empty());
            entry.mime = Some(mime.unwrap_or("unk").to_owned());
            let status = http.as_ref().map_or("200".to_owned(), Http::status);
            if status == "-" {
                return Err(Reason::Status);
            }
            entry.status = Some(status).filter(|status| !status.is_empty());
            entry.digest = made;
        }
    }
    Ok(entry)
}

/// The key of a URL, as `surt` makes it. A URL that cannot be parsed even after repair is its own key; its control
/// characters are encoded, because they would end a line or sort before the space after a key.
fn key(url: &str) -> String {
    if let Ok(uri) = UriRef::parse(url)
        && uri.scheme().is_some()
    {
        return surt(&uri);
    }
    let repaired = repair_with(url.as_bytes(), RepairOptions::new());
    match UriRef::parse(&*repaired) {
        Ok(uri) if uri.scheme().is_some() => surt(&uri),
        _ => {
            let mut key = String::with_capacity(url.len());
            for c in url.split_ascii_whitespace().collect::<Vec<_>>().join("%20").chars() {
                match c {
                    // Writing to a string cannot fail.
                    ..' ' => drop(write!(key, "%{:02x}", u32::from(c))),
                    c => key.push(c),
                }
            }
            key
        }
    }
}

/// A time of ISO 8601 as fourteen digits: its numbers, of which the day is the last that must be there.
fn timestamp(date: &str) -> Option<String> {
    let numbers: Vec<&str> = date.split(|c: char| !c.is_ascii_digit()).collect();
    let number = |at: usize, least: i64, most: i64| match numbers.get(at) {
        Some(digits) if !digits.is_empty() => {
            digits.parse().ok().filter(|number| (least..=most).contains(number))
        }
        _ if at > 2 => Some(0),
        _ => None,
    };
    let (year, month, day) = (number(0, 1, 9999)?, number(1, 1, 12)?, number(2, 1, 31)?);
    day_of(year, month, day)?;
    let (hour, minute, second) = (number(3, 0, 23)?, number(4, 0, 59)?, number(5, 0, 59)?);
    Some(format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_fourteen_digits() {
        for (date, expected) in [
            ("2013-12-26T10:11:12Z", Some("20131226101112")),
            ("2013-12-26T10:11:12.456789Z", Some("20131226101112")),
            ("2013-12-26T10:11Z", Some("20131226101100")),
            ("2016-02-29", Some("20160229000000")),
            ("2015-02-29", None),
            ("2013-13-26T10:11:12Z", None),
            ("2013-12-26T24:11:12Z", None),
            ("2013-12", None),
            ("", None),
        ] {
            assert_eq!(timestamp(date).as_deref(), expected, "{date}");
        }
    }

    #[test]
    fn keys_are_those_of_surt() {
        for (url, expected) in [
            ("http://www.Example.com:80/A?b=1&a=2#c", "com,example)/a?a=2&b=1"),
            ("http://example.com/a|b c", "com,example)/a|b%20c"),
            ("http://example.com/\u{e9}", "com,example)/%c3%a9"),
            ("http://example.com/a[b]{c}", "com,example)/a[b]{c}"),
            ("http://example.com/%7cA", "com,example)/|a"),
            (
                "http://httpbin.org/post?__wb_method=POST&A=1&B=[]&C=3",
                "org,httpbin)/post?__wb_method=post&a=1&b=[]&c=3",
            ),
            (
                "http://httpbin.org/post?foo=bar&__wb_method=POST&data=^",
                "org,httpbin)/post?__wb_method=post&data=^&foo=bar",
            ),
            (
                "https://httpbin.org/post?__wb_method=POST&test=some+data&another=more%5Edata",
                "org,httpbin)/post?__wb_method=post&another=more^data&test=some+data",
            ),
            (
                "https://example.com/ajax/bz?foo=bar&__wb_method=POST&q=%5B%7B%22webSessionId%22%3A%22pb2tr7%3Avx83uz\
                 %3Afdi8ta%22%2C%22user%22%3A%220%22%7D%5D",
                "com,example)/ajax/bz?__wb_method=post&foo=bar&q=[{\"websessionid\":\"pb2tr7:vx83uz:fdi8ta\",\"user\":\"0\"}]",
            ),
            (
                "https://capi.connatix.com/core/story?v=77797&__wb_method=POST&__wb_post_data=eyJ0ZXh0IjogImRlZmF1bHQifQ==",
                "com,connatix,capi)/core/story?__wb_method=post&__wb_post_data=eyj0zxh0ijogimrlzmf1bhqifq==&v=77797",
            ),
            ("http://h/?__wb_method=POST&a=b c 100%", "h)/?__wb_method=post&a=b%20c%20100%25"),
            ("urn:X-wpull:log", "urn:x-wpull:log"),
            ("dns:example.com", "dns:example.com"),
            ("http://[bad/ a\t\u{1}", "http://[bad/%20a%20%01"),
        ] {
            assert_eq!(key(url), expected, "{url}");
        }
    }
}
