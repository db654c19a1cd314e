//! Logs by description: a server's own format string, as it stands in its configuration, becomes the forms of its lines
//! (see [`super::pattern`]).
//!
//! A server is a [`Server`]: its notation, and a table that gives a field ([`Shape::field`]) for each directive. Its
//! name and a colon stand before the string (`squid:%ts.%03tu …`), because one directive means different things to
//! different servers; a string without a name is Apache's or nginx's. `%^` skips a field of any server, and `…` at the
//! end takes the rest of the line. [`join`] puts together what belongs together, such as the parts of a URI.
//!
//! [`Shape::field`]: super::shape::Shape::field

mod apache;
mod envoy;
mod haproxy;
mod join;
mod moment;
mod nginx;
mod scan;
mod squid;
#[cfg(test)]
mod tests;
mod tomcat;
mod trafficserver;
mod varnish;

use urimill_base::error::{Result, did_you_mean};

use super::definition::{Escapes, Writer};
use super::pattern::Part;
use join::Field;
use scan::{Directive, Piece, Scan, wrong};

/// The lines that a format string describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Described {
    /// Several, if the server leaves out a field that has no value.
    pub(super) forms: Vec<LineForm>,
    pub(super) writer: Writer,
    pub(super) escapes: Escapes,
}

/// The fields of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineForm {
    pub(super) parts: Vec<Part>,
    /// The text that ends the line.
    pub(super) tail: String,
}

/// A server whose format strings are known.
#[derive(Debug)]
struct Server {
    /// Its name before a colon.
    name: &'static str,
    /// Its name in a sentence.
    title: &'static str,
    /// What it calls a directive.
    word: &'static str,
    /// Directives that name a request, for the error about a string without one.
    requests: &'static str,
    /// Reads the next piece of a string.
    read: fn(&mut Scan<'_>, &Server) -> Result<Piece>,
    /// The formats that its configuration knows by name.
    nicknames: &'static [(&'static str, &'static str)],
    /// For each directive, as [`Directive::name`] has it, the field. A star stands for an argument, and in the field for
    /// the argument in the form of a column's name. The field may be
    /// - one of [`Shape::field`](super::shape::Shape::field);
    /// - a text with fields in braces: `[{time:time}]`;
    /// - `@pair`: a moment with one space in it; `@moment`: one in the form of the argument, as of `strftime`;
    /// - `?` and a name: a text in braces, which the server leaves out if it has no value;
    /// - `!` and a sentence: why no field can have it.
    directives: &'static [Rows],
    writer: Writer,
    escapes: Escapes,
    /// Whether it writes one space for several.
    merges_spaces: bool,
}

/// Rows of a table of directives.
type Rows = &'static [(&'static str, &'static str)];

const SERVERS: &[&Server] = &[
    &apache::APACHE,
    &nginx::NGINX,
    &haproxy::HAPROXY,
    &squid::SQUID,
    &tomcat::TOMCAT,
    &tomcat::TOMCAT_9,
    &trafficserver::TRAFFICSERVER,
    &varnish::VARNISH,
    &envoy::ENVOY,
];

/// The fields of `text`, which need not name a request if a template makes the URI. With `$` before its names it is
/// nginx's, with `%` Apache's, unless the name of another server stands before it, or only one other can have written
/// it.
///
/// # Errors
/// Usage, with the place of the fault.
pub(super) fn describe(text: &str, has_template: bool) -> Result<Described> {
    let of = |server: &&'static Server| {
        let format = text.strip_prefix(server.name)?.strip_prefix(':')?;
        Some(server.describe(text, text.len() - format.len(), has_template))
    };
    if let Some(described) = SERVERS.iter().find_map(of) {
        return described;
    }
    let is_nickname = apache::APACHE.nickname(text).is_some();
    if !(is_nickname || text.contains('%') && !text.contains('$')) {
        return nginx::NGINX.describe(text, 0, has_template);
    }
    apache::APACHE.describe(text, 0, has_template).or_else(|error| {
        let others = SERVERS.iter().filter(|server| !matches!(server.name, "apache" | "nginx"));
        let mut described = others.filter_map(|server| server.describe(text, 0, has_template).ok());
        match (described.next(), described.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(error),
        }
    })
}

/// The fields of a format string so far.
#[derive(Debug, Default)]
struct Line {
    fields: Vec<Field>,
    /// The text after the last field.
    lead: String,
}

impl Line {
    /// Whether a space comes before, or nothing.
    fn is_at_space(&self) -> bool {
        self.lead.ends_with(' ') || self.fields.is_empty() && self.lead.is_empty()
    }

    fn field(&mut self, at: usize, field: &str) -> &mut Field {
        let lead = std::mem::take(&mut self.lead);
        let place = self.fields.len();
        self.fields.push(Field { at, lead, field: field.to_owned(), ..Field::default() });
        &mut self.fields[place]
    }
}

impl Server {
    fn nickname(&self, name: &str) -> Option<&'static str> {
        self.nicknames.iter().find(|(own, _)| *own == name).map(|(_, format)| *format)
    }

    /// The fields of the string that begins at byte `from` of `text`.
    fn describe(&self, text: &str, from: usize, has_template: bool) -> Result<Described> {
        match self.nickname(&text[from..]) {
            Some(format) => self.described(format, 0, has_template),
            None => self.described(text, from, has_template),
        }
    }

    fn described(&self, text: &str, from: usize, has_template: bool) -> Result<Described> {
        let mut scan = Scan::new(text, from, self.writer);
        let mut line = Line::default();
        while !scan.rest().is_empty() {
            self.step(&mut scan, &mut line)?;
        }
        let Line { mut fields, lead: mut tail } = line;
        if self.merges_spaces {
            tail.truncate(tail.trim_end().len());
        }
        if fields.is_empty() {
            let what = match self.name {
                "nginx" => {
                    "it has no variable, as $request is one, and no directive, as %r is one".to_owned()
                }
                _ => format!("it has no {} of {}, as {}", self.word, self.title, self.requests),
            };
            return Err(wrong(text, from, &what));
        }
        join::join(&mut fields, &tail);
        join::check(&fields, &tail, text)?;
        if !has_template && !fields.iter().any(Field::makes_uri) {
            let what = match self.name {
                "apache" | "nginx" => "as %r, %U, $request and $request_uri do".to_owned(),
                _ => format!("as {}", self.requests),
            };
            let what = format!("it names no request, {what}: where is the URI?");
            return Err(wrong(text, text.len(), &what));
        }
        join::name(&mut fields);
        let variants = join::variants(fields, tail);
        variants.iter().try_for_each(|(fields, tail)| join::check(fields, tail, text))?;
        let forms = variants.into_iter().map(|(fields, tail)| join::form(&fields, tail)).collect();
        // Between runs of spaces, the server escapes nothing but spaces.
        let escapes = if scan.writer == Writer::Pads { Escapes::None } else { self.escapes };
        Ok(Described { forms, writer: scan.writer, escapes })
    }

    /// Reads one piece.
    fn step(&self, scan: &mut Scan<'_>, line: &mut Line) -> Result<()> {
        let (at, rest) = (scan.at, scan.rest());
        if matches!(rest.trim_end(), "…" | "...") {
            scan.at = scan.text.len();
            self.rest(at, line);
        } else if rest.starts_with("%^") && !rest.starts_with("%^FB") {
            scan.at += 2;
            line.field(at, "");
        } else if rest.starts_with(['\n', '\r']) {
            // A string of several lines is one line.
            scan.take_while(char::is_whitespace);
            if !scan.rest().is_empty() && !line.lead.ends_with(' ') {
                line.lead.push(' ');
            }
        } else {
            match (self.read)(scan, self)? {
                Piece::Char(' ') if self.merges_spaces && line.is_at_space() => {}
                Piece::Char(c) => line.lead.push(c),
                Piece::Directive(directive) => self.place(scan, &directive, line)?,
                Piece::Nothing => {}
            }
        }
        Ok(())
    }

    /// The field that takes the rest of the line, which may be missing.
    fn rest(&self, at: usize, line: &mut Line) {
        let last = line.fields.last().is_some_and(|field| field.field == join::REST);
        if last && line.lead.trim().is_empty() {
            line.lead.clear();
            return;
        }
        if line.lead.is_empty() && !line.fields.is_empty() {
            line.lead.push(' ');
        }
        line.field(at, join::REST);
    }

    fn place(&self, scan: &Scan<'_>, directive: &Directive, line: &mut Line) -> Result<()> {
        let at = directive.at;
        let Some((mut field, is_open)) = self.field(directive) else {
            return Err(self.unknown(scan, directive));
        };
        if let Some(why) = field.strip_prefix('!') {
            return Err(scan.wrong(at, why));
        }
        if field == join::REST {
            self.rest(at, line);
            return Ok(());
        }
        if field == "@moment" {
            moment::field(&directive.argument).clone_into(&mut field);
        }
        let is_pair = field == moment::PAIR;
        if is_pair {
            "time:time".clone_into(&mut field);
        }
        if let (Some(name), true) = (&directive.own_name, is_open) {
            field = plain(name);
        }
        if directive.is_hexadecimal {
            field = format!("{}_hexadecimal", field.split([':', '=']).next().unwrap_or_default());
        }
        let quote = if directive.is_quoted { "\"" } else { "" };
        line.lead.push_str(quote);
        let mut rest = field.as_str();
        if let Some(name) = field.strip_prefix('?') {
            line.lead.push('{');
            line.field(at, name).is_optional = true;
            line.lead.push('}');
            rest = "";
        } else if !field.contains('{') {
            let place = line.field(at, &field);
            (place.is_open, place.is_pair) = (is_open, is_pair);
            rest = "";
        }
        // A text with fields in braces.
        while let Some((lead, (inner, after))) =
            rest.split_once('{').and_then(|(lead, behind)| Some((lead, behind.split_once('}')?)))
        {
            line.lead.push_str(lead);
            line.field(at, inner);
            rest = after;
        }
        line.lead.push_str(rest);
        line.lead.push_str(quote);
        Ok(())
    }

    /// The field of a directive, and whether its argument names it.
    fn field(&self, directive: &Directive) -> Option<(String, bool)> {
        let name = directive.name.as_str();
        let rows = || self.directives.iter().copied().flatten();
        if let Some((_, field)) = rows().find(|(key, _)| *key == name) {
            return Some(((*field).to_owned(), false));
        }
        let fits = |key: &str| {
            let ends = key.split_once('*');
            ends.is_some_and(|(before, after)| {
                name.len() > before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
            })
        };
        let (_, field) = rows().find(|(key, _)| fits(key))?;
        Some((field.replace('*', &plain(&directive.argument)), field.contains('*')))
    }

    fn unknown(&self, scan: &Scan<'_>, directive: &Directive) -> urimill_base::error::Error {
        let written = &scan.text[directive.at..scan.at];
        let names = || self.directives.iter().copied().flatten().map(|&(name, _)| name);
        let meant = match directive.name.len() {
            0..=2 => String::new(),
            _ => did_you_mean(&directive.name, names().filter(|name| !name.contains('*'))),
        };
        let other = match self.name {
            "apache" => "; the string of another server has its name before it, as in squid:%rm",
            _ => "",
        };
        scan.wrong(directive.at, &format!("{} has no {} {written}{meant}{other}", self.title, self.word))
    }
}

/// A name in the form of columns' names.
fn plain(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(letter).collect()
}

/// The rows of headers of requests, whose names stand between two texts.
macro_rules! request_headers {
    ($before:literal, $after:literal) => {
        &[
            (concat!($before, "referer", $after), "referer"),
            (concat!($before, "user-agent", $after), "user_agent"),
            (concat!($before, "host", $after), ":host"),
            (concat!($before, "x-forwarded-for", $after), "forwarded_for:list"),
            (concat!($before, "*", $after), "request_*"),
        ]
    };
}
use request_headers;
