//! The text of a format string, read from the left to the right, and the pieces that a server's notation has.

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use crate::definition::Writer;

/// A place in a format string.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    /// All of it, with the server's name before it.
    pub(super) text: &'t str,
    /// The byte that is read next.
    pub(super) at: usize,
    /// The line's writer, which the notation may change.
    pub(super) writer: Writer,
    /// Whether texts are in quotes unless a directive says otherwise.
    pub(super) quotes: bool,
}

/// A piece of a format string.
#[derive(Debug)]
pub(super) enum Piece {
    /// A character of the line itself.
    Char(char),
    /// A field.
    Directive(Directive),
    /// Nothing that is in the line.
    Nothing,
}

/// A directive as it is written.
#[derive(Debug, Default)]
pub(super) struct Directive {
    /// Its first byte.
    pub(super) at: usize,
    /// Its name in the notation of the server's table, its argument in lower case: `{referer}i`, `REQ(:method)`.
    pub(super) name: String,
    /// The argument as it is written.
    pub(super) argument: String,
    /// The name that the user gives the field.
    pub(super) own_name: Option<String>,
    /// Whether the server writes quotes around it.
    pub(super) is_quoted: bool,
    /// Whether it is written in hexadecimal digits.
    pub(super) is_hexadecimal: bool,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str, at: usize, writer: Writer) -> Scan<'t> {
        Scan { text, at, writer, quotes: false }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Steps over `text`, if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// The characters from here on that are of a kind.
    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The text in a pair of braces, brackets or parentheses, if such a pair is next; `close` ends it.
    ///
    /// # Errors
    /// Usage, if it has no end.
    pub(super) fn enclosed(&mut self, open: char, close: char) -> Result<Option<&'t str>> {
        let begin = self.at;
        if !self.rest().starts_with(open) {
            return Ok(None);
        }
        let inner = &self.rest()[open.len_utf8()..];
        let Some((inner, _)) = inner.split_once(close) else {
            let name = if open == '{' { "brace" } else { "bracket" };
            return Err(self.wrong(begin, &format!("the {name} is not closed")));
        };
        self.at += open.len_utf8() + inner.len() + close.len_utf8();
        Ok(Some(inner))
    }

    /// A character after a backslash, as in the string of a configuration.
    ///
    /// # Errors
    /// Usage, if it is not `t` or one of `others`.
    pub(super) fn escaped(&mut self, others: &str) -> Result<Piece> {
        match self.next() {
            Some('t') => Ok(Piece::Char('\t')),
            Some('n') if self.rest().is_empty() => Ok(Piece::Nothing),
            Some(c) if others.is_empty() || others.contains(c) => Ok(Piece::Char(c)),
            Some(c) => {
                let what = "a backslash stands before t, \\ and quotes alone";
                Err(self.wrong(self.at - c.len_utf8(), what))
            }
            None => Err(self.wrong(self.at - 1, "a backslash ends it")),
        }
    }

    /// The error about the byte `at`.
    pub(super) fn wrong(&self, at: usize, what: &str) -> Error {
        wrong(self.text, at, what)
    }
}

/// The error about the byte `at` of a format string.
pub(super) fn wrong(text: &str, at: usize, what: &str) -> Error {
    Error::usage(format!("{} is wrong at byte {at}: {what}", OptionName::LogFormat.named())).marking(text, at)
}

impl Directive {
    /// A directive with its argument in braces before its letters.
    pub(super) fn braced(at: usize, argument: Option<&str>, letters: &str) -> Directive {
        let name = match argument {
            Some(argument) => format!("{{{}}}{letters}", argument.to_ascii_lowercase()),
            None => letters.to_owned(),
        };
        let argument = argument.unwrap_or_default().to_owned();
        Directive { at, name, argument, ..Directive::default() }
    }
}
