//! The notation of fields in definitions: `status:int=status` is the column `status`, whose values are numbers of 32
//! bits and have the form `status`.
//!
//! After the name may follow, in this order:
//!
//! | sign | |
//! |---|---|
//! | `:KIND` | the kind of its values ([`KINDS`]); without one, the kind of the name in the [dictionary](crate::dictionary) |
//! | `=FORM` | every value has this form; a line with another value is of another format |
//! | `~FORM` | most values have this form: clients write others |
//! | `?` `!` | it may be empty; it is never `-` |
//!
//! A field without a name has no column.

use crate::check::Check;
use crate::dictionary;
use crate::forms::Values;
use crate::known_forms::{self, Loose};

/// The kinds of values, and what each is.
pub(crate) const KINDS: &[(&str, &str)] = &[
    ("text", "text"),
    ("words", "text that may have the separator in it"),
    ("list", "a list with a separator and spaces between its elements"),
    ("int", "a number of 32 bits"),
    ("long", "a number of 64 bits"),
    ("time", "a moment"),
    (
        "moment",
        "a moment with spaces in it and nothing around it: it ends at the text after it, or after two words",
    ),
    ("s", "a duration in seconds, in microseconds as a column"),
    ("ms", "the same in milliseconds"),
    ("us", "the same in microseconds"),
    ("ns", "the same in nanoseconds"),
    ("mixed", "the same in seconds with a fraction, or in milliseconds without one"),
    ("addr", "an address"),
    ("endpoint", "an address with or without a port, which has the column NAME_port"),
    ("resolved", "an address, or the name that a server has found for it"),
    ("request", "a request line; it makes the URI, and the columns method and protocol"),
    ("url", "the target of a request, or a URI"),
    ("path", "a path, whose query may stand in a field of its own"),
    ("whole-path", "a path that may have its query already"),
    ("query", "a query"),
    ("proxied", "a URI in logs of Squid, which writes error: where it got no request"),
    ("proxied-request", "a request line of such a log"),
    ("uri", "a URI that may lack its scheme, and whose query may stand in a field of its own"),
    ("scheme", "the scheme of the base"),
    ("host", "the host of the base, with or without a port"),
    ("doubtful-host", "a host; an address may be another host's where the log does not name the client"),
    ("port", "the port of the base; 443 shows that the scheme is https"),
    ("secure", "a text whose presence shows that the scheme is https, unless it is a word for no"),
    ("listener", "a text whose port 443 shows that the scheme is https"),
    ("peer", "an address, perhaps with a port, which is the client's where the log has no other"),
    ("method", "a method; without a name it makes the column method"),
    ("protocol", "a protocol with its version"),
    ("date", "a day, which makes the column time with a clock"),
    ("clock", "a time of day"),
    ("plus", "text in which a plus stands for a space"),
    ("cookie", "the same in cookies"),
    ("percent", "text in which %HH stands for a byte"),
    ("quotes", "text in which a backslash precedes quotes"),
    ("rest", "everything that follows, to the end of the line"),
];

/// A field of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notation<'a> {
    /// Empty where the field has no column of its own.
    pub(crate) name: &'a str,
    /// Empty for text.
    pub(crate) kind: &'a str,
    form: Option<&'a str>,
    loose: Option<&'a str>,
    pub(crate) may_be_empty: bool,
    pub(crate) is_required: bool,
}

impl<'a> Notation<'a> {
    pub(crate) fn of(field: &'a str) -> Notation<'a> {
        Notation::read(field).unwrap_or_else(Notation::of_dictionary)
    }

    /// A field that a format string describes: its name may be any word of a configuration, and says no kind.
    pub(crate) fn described(field: &'a str) -> Notation<'a> {
        Notation::read(field).unwrap_or_else(|own| match own.name {
            "client" => Notation { kind: "resolved", ..own },
            _ => own,
        })
    }

    /// The parts of a text; an error if it has no kind.
    fn read(field: &'a str) -> Result<Notation<'a>, Notation<'a>> {
        let (may_be_empty, is_required) = (field.ends_with('?'), field.ends_with('!'));
        let field = field.strip_suffix(['?', '!']).unwrap_or(field);
        let (field, loose) = split(field, '~');
        let (field, form) = split(field, '=');
        let (name, kind) = split(field, ':');
        let own = Notation { name, kind: "", form, loose, may_be_empty, is_required };
        match kind {
            Some("text") => Ok(own),
            Some(kind) => Ok(Notation { kind, ..own }),
            None => Err(own),
        }
    }

    /// With the kind and the form that all fields of its name have.
    fn of_dictionary(self) -> Notation<'a> {
        let Some(common) = dictionary::find(self.name) else { return self };
        let (kind, form) = split(common, '=');
        match kind.strip_prefix(':') {
            // It has no column: it makes the URI.
            Some(kind) => Notation { name: "", kind, form: self.form.or(form), ..self },
            None => Notation { kind, form: self.form.or(form), ..self },
        }
    }

    /// The forms that every value has, and that most have.
    pub(crate) fn forms(&self, values: Values) -> (Option<Check>, Option<Loose>) {
        (
            self.form.and_then(|name| Check::find(name, values)),
            self.loose.and_then(|name| Loose::find(name, values)),
        )
    }

    /// Why the field is none: a clause that says what is allowed.
    pub(crate) fn fault(&self, values: Values) -> Option<String> {
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !self.name.chars().all(is_letter) || self.name.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(format!(
                "the name of a column has lower-case letters, digits and _, not {:?}",
                self.name
            ));
        }
        if matches!(self.name, "extra" | "prefix" | "uri" | "error" | "error_offset") {
            return Some(format!("{:?} is the name of a column that every table has", self.name));
        }
        let kinds = || KINDS.iter().map(|(kind, _)| *kind);
        if !self.kind.is_empty() && kinds().all(|kind| kind != self.kind) {
            return Some(unknown("kind", self.kind, kinds()));
        }
        let needs_name =
            matches!(self.kind, "" | "text" | "words" | "int" | "long" | "time" | "moment" | "list");
        if self.name.is_empty() && needs_name {
            return Some("a field needs a name, or a kind that makes the URI, such as :url".into());
        }
        let forms = || known_forms::names().chain(values.iter().map(|(name, _)| *name));
        match (self.form, self.loose) {
            (Some(form), _) if Check::find(form, values).is_none() => Some(unknown("form", form, forms())),
            (_, Some(form)) if Loose::find(form, values).is_none() => Some(unknown("form", form, forms())),
            _ => None,
        }
    }
}

fn split(text: &str, sign: char) -> (&str, Option<&str>) {
    text.split_once(sign).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.collect();
    let meant = urimill_base::error::did_you_mean(name, known.iter().copied());
    format!("there is no {what} {name:?}{meant}: the {what}s are {}", known.join(", "))
}
