//! Texts one by one: the arguments, or the lines of standard input where there are none. For the commands that
//! answer each text with one line: line n of the output answers line n of the input, whatever is in it.
//!
//! What has been read is answered before more is waited for, so that a program at the other ends of both pipes
//! can ask and get its answer, line by line; and where there is more to read nothing is flushed.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use memchr::memchr;

use crate::exit::Exit;
use crate::term::stderr::say_sentence;
use urimill::error::{Error, Result};
use urimill::files::streams::{self, Stream};
use urimill::grammar::Spec;
use urimill::run::refuse_own_input;
use urimill::uri::UriRef;
use urimill::write::Target;

/// How much of standard input is read at once.
const BUFFER: usize = 1 << 16;
/// The longest line in bytes: as long as the longest record that a table keeps whole by default.
const LONGEST: usize = 16 << 20;
/// The byte-order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// What ends a text on standard input and an answer on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// A line feed; a carriage return before it is not part of the text, nor is a byte-order mark before the
    /// first one.
    Line,
    /// A NUL, with nothing else taken from the texts.
    Null,
}

impl End {
    fn byte(self) -> u8 {
        match self {
            End::Line => b'\n',
            End::Null => 0,
        }
    }
}

/// Writes for each text the answer that `answer` appends to its second argument; where it has none, an empty
/// line, and the reason to standard error. Answers [`Exit::Invalid`] where one text had no answer.
pub(crate) fn answer_each(
    arguments: &[OsString],
    end: End,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), String>,
) -> Result<Exit> {
    let mut target = Target::stdout()?;
    let mut exit = Exit::Done;
    let mut out = Vec::new();
    let mut write = |target: &mut Target, text: Result<&[u8], String>, (what, number): (&str, u64)| {
        out.clear();
        if let Err(reason) = text.and_then(|text| answer(text, &mut out)) {
            out.clear();
            exit = Exit::Invalid;
            // Where both outputs go to the same place, the reason stands where the answer would.
            target.end_batch()?;
            say_sentence(&format!("{what} {number}: {reason}"));
        }
        out.push(end.byte());
        target.append(&out)
    };
    for (number, argument) in (1..).zip(arguments) {
        write(&mut target, Ok(argument.as_encoded_bytes()), ("argument", number))?;
    }
    if arguments.is_empty() {
        streams::check_open(Stream::Input)?;
        refuse_own_input()?;
        let what = if end == End::Line { "line" } else { "text" };
        let mut lines = Lines::new(io::stdin().lock(), end);
        while lines.advance(&mut target)? {
            write(&mut target, lines.text(), (what, lines.number))?;
        }
    }
    target.settle()?;
    Ok(exit)
}

/// The texts of a stream, each copied to one buffer.
struct Lines<R> {
    input: BufReader<R>,
    end: End,
    /// Of the current one, 1-based.
    number: u64,
    text: Vec<u8>,
    /// Of the current one in the stream, without its end: more than is kept where it is too long.
    length: usize,
    /// Whether its end has been read, and not the end of the stream.
    ended: bool,
}

impl<R: Read> Lines<R> {
    fn new(input: R, end: End) -> Self {
        Lines {
            input: BufReader::with_capacity(BUFFER, input),
            end,
            number: 0,
            text: Vec::new(),
            length: 0,
            ended: false,
        }
    }

    /// Goes to the next text; `false` where there is none.
    fn advance(&mut self, answers: &mut Target) -> Result<bool> {
        self.text.clear();
        self.length = 0;
        self.ended = false;
        self.number += 1;
        loop {
            if self.input.buffer().is_empty() {
                answers.end_batch()?;
            }
            let read = match self.input.fill_buf() {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io("read", "standard input", error)),
            };
            if read.is_empty() {
                let is_bare_mark = self.end == End::Line && self.number == 1 && self.text == MARK;
                return Ok(self.length > 0 && !is_bare_mark);
            }
            let ended = memchr(self.end.byte(), read);
            let taken = ended.unwrap_or(read.len());
            let room = LONGEST.saturating_sub(self.length);
            self.text.extend_from_slice(&read[..taken.min(room)]);
            self.length += taken;
            self.input.consume(taken + usize::from(ended.is_some()));
            if ended.is_some() {
                self.ended = true;
                return Ok(true);
            }
        }
    }

    fn text(&self) -> Result<&[u8], String> {
        if self.length > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let text = self.text.as_slice();
        if self.end == End::Null {
            return Ok(text);
        }
        let text = text.strip_prefix(MARK).filter(|_| self.number == 1).unwrap_or(text);
        Ok(text.strip_suffix(b"\r").filter(|_| self.ended).unwrap_or(text))
    }
}

/// The URI reference that `text` is by `spec`; otherwise a sentence about `what`, for the caller's mistake.
pub(crate) fn argument<'a>(what: &str, text: &'a OsString, spec: Spec) -> Result<UriRef<'a>> {
    UriRef::parse_as(text.as_encoded_bytes(), spec).map_err(|reject| {
        let text = text.to_string_lossy();
        Error::usage(format!("{what} \"{text}\" is no URI reference by {spec}: {reject}"))
    })
}

/// [`argument`] for the base of references, which has a scheme (RFC 3986 section 5.1).
pub(crate) fn base(text: &OsString, spec: Spec) -> Result<UriRef<'_>> {
    let base = argument("the base", text, spec)?;
    if base.is_uri() {
        return Ok(base);
    }
    Err(Error::usage(format!(
        "the base \"{base}\" has no scheme, so nothing can be resolved against it: give a whole URI"
    )))
}
