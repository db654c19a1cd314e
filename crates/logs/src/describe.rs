//! Logs by description: the format strings of Apache (`LogFormat`) and of nginx (`log_format`), as they stand in a
//! configuration, become a form of lines (see [`super::pattern`]).
//!
//! The name of a directive or a variable decides its type; those without a row of their own here get a column of text
//! with their name.

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::pattern::Part;

/// The fields of a format string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) parts: Vec<Part>,
    /// The text that ends the line.
    pub(super) tail: String,
}

/// The formats that configurations name.
const NICKNAMES: &[(&str, &str)] = &[
    ("common", r#"%h %l %u %t "%r" %>s %b"#),
    ("combined", r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#),
    ("vhost_common", r#"%v %h %l %u %t "%r" %>s %b"#),
    ("vhost_combined", r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#),
    ("combinedio", r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %I %O"#),
];

/// The fields of `text`, which need not name a request if a template makes the URI: with `$` before its names it is
/// nginx's, with `%` Apache's.
///
/// # Errors
/// Usage, with the place of the fault.
pub(super) fn describe(text: &str, has_template: bool) -> Result<Described> {
    if let Some((_, format)) = NICKNAMES.iter().find(|(name, _)| *name == text) {
        return apache(format);
    }
    let described = if text.contains('%') && !text.contains('$') { apache(text)? } else { nginx(text)? };
    let makes_uri = |part: &Part| [":request", ":url", ":path"].iter().any(|role| part.field.ends_with(role));
    match has_template || described.parts.iter().any(makes_uri) {
        true => Ok(described),
        false => {
            let what = "it names no request, as %r, %U, $request and $request_uri do: where is the URI?";
            Err(wrong(text, text.len(), what))
        }
    }
}

fn wrong(text: &str, at: usize, what: &str) -> Error {
    Error::usage(format!("{} is wrong at byte {at}: {what}", OptionName::LogFormat.named())).marking(text, at)
}

/// Collects parts; two fields need a text between them.
struct Collector<'t> {
    text: &'t str,
    parts: Vec<Part>,
    lead: String,
}

impl Collector<'_> {
    fn field(&mut self, at: usize, field: String) -> Result<()> {
        if self.lead.is_empty() && !self.parts.is_empty() {
            let what = "nothing stands between two fields, so that nobody can tell where one ends";
            return Err(wrong(self.text, at, what));
        }
        self.parts.push(Part { lead: std::mem::take(&mut self.lead), field });
        Ok(())
    }

    fn done(self) -> Described {
        Described { parts: self.parts, tail: self.lead }
    }
}

/// The directives of `mod_log_config` and `mod_logio`: the letter, and the field.
const DIRECTIVES: &[(char, &str)] = &[
    ('h', "client"),
    ('a', "client:addr"),
    ('A', "server_ip:addr"),
    ('l', "ident"),
    ('u', "user"),
    ('r', ":request"),
    ('s', "status:int"),
    ('b', "size:long"),
    ('B', "size:long"),
    ('O', "sent:long"),
    ('I', "request_size:long"),
    ('S', "transferred:long"),
    ('D', "duration_us:us"),
    ('T', "duration_us:s"),
    ('v', ":host"),
    ('V', ":host"),
    ('p', "server_port:port"),
    ('m', ":method"),
    ('U', ":path"),
    ('q', ":query"),
    ('H', "protocol:protocol"),
    ('f', "filename"),
    ('P', "pid"),
    ('k', "keepalive"),
    ('X', "connection_status"),
    ('L', "log_id"),
    ('R', "handler"),
];

fn apache(text: &str) -> Result<Described> {
    let mut found = Collector { text, parts: Vec::new(), lead: String::new() };
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            // As in the string of a configuration.
            '\\' => match chars.next() {
                Some((_, 't')) => found.lead.push('\t'),
                Some((_, c @ ('"' | '\\'))) => found.lead.push(c),
                Some((at, _)) => {
                    return Err(wrong(text, at, "a backslash stands before t, \\ and quotes alone"));
                }
                None => return Err(wrong(text, at, "a backslash ends it")),
            },
            '%' => {
                let (directive, taken) = directive(text, at)?;
                match directive {
                    Directive::Percent => found.lead.push('%'),
                    Directive::Time => {
                        found.lead.push('[');
                        found.field(at, "time:time".to_owned())?;
                        found.lead.push(']');
                    }
                    Directive::Field(field) => found.field(at, field)?,
                }
                while chars.peek().is_some_and(|&(next, _)| next < at + 1 + taken) {
                    chars.next();
                }
            }
            c => found.lead.push(c),
        }
    }
    Ok(found.done())
}

enum Directive {
    Percent,
    /// A moment in brackets.
    Time,
    Field(String),
}

/// The directive after the percent sign at `at`, and its length in bytes.
fn directive(text: &str, at: usize) -> Result<(Directive, usize)> {
    let rest = &text[at + 1..];
    // Only for some status codes, or only before or after internal redirects: elsewhere the log has a dash.
    let is_modifier = |b: &u8| b.is_ascii_digit() || matches!(b, b'!' | b',' | b'<' | b'>');
    let modifiers = rest.bytes().take_while(is_modifier).count();
    let behind = &rest[modifiers..];
    let (name, behind) = match behind.strip_prefix('{') {
        None => (None, behind),
        Some(inner) => match inner.split_once('}') {
            Some((name, behind)) => (Some(name), behind),
            None => return Err(wrong(text, at + 1 + modifiers, "the brace is not closed")),
        },
    };
    let Some(letter) = behind.chars().next() else {
        return Err(wrong(text, at, "a percent sign ends it: which directive?"));
    };
    let taken = rest.len() - behind.len() + letter.len_utf8();
    let field = match (name, letter) {
        (None, '%') => return Ok((Directive::Percent, taken)),
        (None, 't') => return Ok((Directive::Time, taken)),
        (Some("sec" | "msec" | "usec"), 't') => "time:time".to_owned(),
        (Some(_), 't') => "moment".to_owned(),
        (Some("ms"), 'T') => "duration_us:ms".to_owned(),
        (Some("us"), 'T') => "duration_us:us".to_owned(),
        (Some("s"), 'T') => "duration_us:s".to_owned(),
        (Some("c"), 'a') => "connection_client:addr".to_owned(),
        (Some("c"), 'h') => "connection_client".to_owned(),
        (Some(_), 'p') => "server_port:port".to_owned(),
        (Some(_), 'P') => "pid".to_owned(),
        (Some(name), 'i') => header(name),
        (Some(name), 'o') => format!("response_{}", plain(name)),
        (Some(name), 'C') => format!("cookie_{}", plain(name)),
        (Some("SSL_PROTOCOL" | "SSL_CIPHER" | "HTTPS"), 'e' | 'x' | 'c')
        | (Some("version" | "cipher"), 'c') => {
            format!("{}:secure", plain(name.unwrap_or_default()))
        }
        (Some("REQUEST_SCHEME"), 'e' | 'x') => ":scheme".to_owned(),
        (Some(name), 'e' | 'n' | 'x' | 'c') => plain(name),
        (name, letter) => match DIRECTIVES.iter().find(|(own, _)| *own == letter && name.is_none()) {
            Some((_, field)) => (*field).to_owned(),
            None => return Err(wrong(text, at, &format!("Apache has no directive %{}", &rest[..taken]))),
        },
    };
    Ok((Directive::Field(field), taken))
}

/// The field of a header of the request.
fn header(name: &str) -> String {
    match name.to_ascii_lowercase().as_str() {
        "referer" => "referer".to_owned(),
        "user-agent" => "user_agent".to_owned(),
        "host" => ":host".to_owned(),
        "x-forwarded-for" => "forwarded_for:list".to_owned(),
        other => format!("request_{}", plain(other)),
    }
}

/// A name in the form of columns' names.
fn plain(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(letter).collect()
}

/// The variables of nginx, and their types.
const VARIABLES: &[(&str, &str)] = &[
    ("remote_addr", "client:addr"),
    ("realip_remote_addr", "connection_client:addr"),
    ("proxy_protocol_addr", "proxy_client:addr"),
    ("remote_port", "client_port:int"),
    ("remote_user", "user"),
    ("time_local", "time:time"),
    ("time_iso8601", "time:time"),
    ("msec", "time:time"),
    ("request", ":request"),
    ("request_uri", ":url"),
    ("uri", ":path"),
    ("document_uri", ":path"),
    ("args", ":query"),
    ("query_string", ":query"),
    ("request_method", ":method"),
    ("scheme", ":scheme"),
    ("https", "https:secure"),
    ("ssl_protocol", "ssl_protocol:secure"),
    ("ssl_cipher", "ssl_cipher:secure"),
    ("http_host", ":host"),
    ("host", ":host"),
    ("server_name", "server_name:host"),
    ("server_port", "server_port:port"),
    ("server_addr", "server_ip:addr"),
    ("server_protocol", "protocol:protocol"),
    ("status", "status:int"),
    ("body_bytes_sent", "size:long"),
    ("bytes_sent", "sent:long"),
    ("request_length", "request_size:long"),
    ("content_length", "content_length:long"),
    ("request_time", "duration_us:s"),
    ("upstream_response_time", "upstream_time:list"),
    ("upstream_connect_time", "upstream_connect_time:list"),
    ("upstream_header_time", "upstream_header_time:list"),
    ("upstream_addr", "upstream:list"),
    ("upstream_status", "upstream_status_list:list"),
    ("upstream_response_length", "upstream_size:list"),
    ("upstream_cache_status", "cache_status"),
    ("http_referer", "referer"),
    ("http_user_agent", "user_agent"),
    ("http_x_forwarded_for", "forwarded_for:list"),
    ("connection", "connection:long"),
    ("connection_requests", "connection_requests:long"),
];

fn nginx(text: &str) -> Result<Described> {
    let mut found = Collector { text, parts: Vec::new(), lead: String::new() };
    let mut rest = text;
    while let Some(at) = rest.find(['$', '\\']) {
        found.lead.push_str(&rest[..at]);
        let place = text.len() - rest.len() + at;
        let behind = &rest[at + 1..];
        if rest[at..].starts_with('\\') {
            let Some(c) = behind.chars().next() else {
                return Err(wrong(text, place, "a backslash ends it"));
            };
            found.lead.push(if c == 't' { '\t' } else { c });
            rest = &behind[c.len_utf8()..];
            continue;
        }
        let (name, after) = match behind.strip_prefix('{') {
            Some(inner) => match inner.split_once('}') {
                Some(parts) => parts,
                None => return Err(wrong(text, place + 1, "the brace is not closed")),
            },
            None => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                behind.split_at(behind.find(|c| !is_part(c)).unwrap_or(behind.len()))
            }
        };
        if name.is_empty() {
            return Err(wrong(text, place, "no variable has this name"));
        }
        let known = VARIABLES.iter().find(|(own, _)| *own == name);
        found.field(place, known.map_or_else(|| plain(name), |(_, field)| (*field).to_owned()))?;
        rest = after;
    }
    if found.parts.is_empty() {
        return Err(wrong(text, 0, "it has no variable, as $request is one, and no directive, as %r is one"));
    }
    found.lead.push_str(rest);
    Ok(found.done())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(described: &Described) -> String {
        let parts = described.parts.iter().map(|part| format!("{}{{{}}}", part.lead, part.field));
        parts.collect::<String>() + &described.tail
    }

    #[test]
    fn format_strings_are_forms() {
        // (format string, the form)
        let cases: &[(&str, &str)] = &[
            ("common", r#"{client} {ident} {user} [{time:time}] "{:request}" {status:int} {size:long}"#),
            (
                r#"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-agent}i\" %D"#,
                "{:host}:{server_port:port} {client} {ident} {user} [{time:time}] \"{:request}\" {status:int} \
                 {sent:long} \"{referer}\" \"{user_agent}\" {duration_us:us}",
            ),
            (r"%a\t%m\t%U%%\t%!200,304{X-Id}i", "{client:addr}\t{:method}\t{:path}%\t{request_x_id}"),
            ("%{%Y-%m-%dT%T}t %U", "{moment} {:path}"),
            (
                r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "${http_referer}""#,
                "{client:addr} - {user} [{time:time}] \"{:request}\" {status:int} {size:long} \"{referer}\"",
            ),
            ("$host|$request_uri|$my_Var", "{:host}|{:url}|{my_var}"),
        ];
        for (text, form) in cases {
            assert_eq!(shown(&describe(text, false).expect(text)), *form, "{text}");
        }
        // (format string, the wrong byte, the message)
        let wrong: &[(&str, usize, &str)] = &[
            ("%h %Q %r", 3, "no directive %Q"),
            ("%h %{a}Q %r", 3, "no directive %{a}Q"),
            ("%h %{Referer i", 4, "not closed"),
            ("%h %r %", 6, "which directive"),
            ("%h%r", 2, "between two fields"),
            ("%h \\x %r", 4, "backslash"),
            ("%h %r \\", 6, "backslash"),
            ("%h %t", 5, "no request"),
            ("$remote_addr$request", 12, "between two fields"),
            ("$remote_addr ${request", 14, "not closed"),
            ("$remote_addr $ $request", 13, "no variable"),
            ("no names", 0, "no variable"),
            ("$remote_addr $status", 20, "no request"),
            ("", 0, "no variable"),
        ];
        for (text, at, what) in wrong {
            let error = describe(text, false).expect_err(text);
            assert!(error.to_string().contains(what), "{text}: {error}");
            assert_eq!(error.marked(), Some((*text, *at)), "{text}: {error}");
        }
    }
}
