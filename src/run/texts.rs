//! The builder of a run that answers each text with one line: line n of the output answers line n of the input,
//! whatever it contains.
//!
//! Texts that have been read are answered before the run waits for more, so that a program at the other ends of both
//! pipes can ask line by line; while there is more to read nothing is flushed.

use std::ffi::OsString;
use std::io;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use memchr::memchr;
use urimill_base::error::{Error, Result};
use urimill_base::streams;
use urimill_base::streams::{Stream, refuse_own_input};
use urimill_read::{Source, open};
use urimill_write::Target;

use super::conflicts::refuse_inputs;
use super::inputs::Inputs;
use super::progress::RunProgress;

/// The number of bytes read at once.
const BUFFER: usize = 1 << 16;
/// The longest text in bytes: as long as the longest record that a table keeps whole by default.
const LONGEST: usize = 16 << 20;
/// The byte-order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads some bytes, and returns their number; 0 at the end.
type ReadSome = Box<dyn FnMut(&mut [u8]) -> Result<usize>>;

/// The end of a text that is read, and of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TextEnd {
    /// A line feed; a carriage return before it is not part of the text, nor is a byte-order mark before the first one.
    #[default]
    LineFeed,
    /// A NUL; nothing else is removed from the texts.
    Nul,
}

impl TextEnd {
    fn byte(self) -> u8 {
        match self {
            TextEnd::LineFeed => b'\n',
            TextEnd::Nul => 0,
        }
    }

    /// The name of a text that is read, in messages.
    fn text(self) -> &'static str {
        match self {
            TextEnd::LineFeed => "line",
            TextEnd::Nul => "text",
        }
    }
}

/// A text that has no answer: an empty line is written for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unanswered {
    /// Its place, as in "argument 2", "line 7" and "refs.txt: line 7".
    pub text: String,
    /// The reason.
    pub reason: String,
}

/// The counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TextStats {
    /// Texts.
    pub texts: u64,
    /// Texts that have no answer.
    pub unanswered: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Answers texts, each with one line.
///
/// ```
/// use urimill::run::AnswerTexts;
///
/// let folder = tempfile::tempdir()?;
/// let (texts, hosts) = (folder.path().join("texts.txt"), folder.path().join("hosts.txt"));
/// std::fs::write(&texts, "http://example.com/a\nhttp://exa mple/\nmailto:a@b.c\n")?;
/// let mut unanswered = Vec::new();
/// let stats = AnswerTexts::new().inputs([&texts]).write_to(&hosts).run(
///     |text, answer| {
///         let uri = urimill::UriRef::parse(text).map_err(|reject| reject.to_string())?;
///         answer.extend_from_slice(uri.host().unwrap_or("none").as_bytes());
///         Ok(())
///     },
///     |text| unanswered.push(text.text),
/// )?;
/// assert_eq!((stats.texts, stats.unanswered), (3, 1));
/// assert_eq!(std::fs::read_to_string(&hosts)?, "example.com\n\nnone\n");
/// assert_eq!(unanswered, [format!("{}: line 2", texts.display())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it does nothing until it is run"]
pub struct AnswerTexts {
    given: Option<Vec<OsString>>,
    inputs: Inputs,
    end: TextEnd,
    output: Option<PathBuf>,
    force: bool,
    progress: RunProgress,
}

impl AnswerTexts {
    /// A run with the defaults, from standard input to standard output.
    pub fn new() -> Self {
        AnswerTexts::default()
    }

    /// The texts themselves; then nothing is read.
    pub fn texts(self, texts: impl IntoIterator<Item: Into<OsString>>) -> Self {
        AnswerTexts { given: Some(texts.into_iter().map(Into::into).collect()), ..self }
    }

    /// Files of texts, compressed or not, patterns such as `refs/*.txt.gz`, or `-` for standard input, which is not
    /// decompressed.
    pub fn inputs(mut self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        self.inputs.set_names(inputs);
        self
    }

    /// Adds the texts of `reader`, compressed or not, after the inputs given before. Messages call it `name`.
    pub fn inputs_from(mut self, reader: impl Read + Send + 'static, name: impl Into<String>) -> Self {
        self.inputs.add_reader(reader, name);
        self
    }

    /// The end of the texts that are read, and of all answers.
    pub fn end(self, end: TextEnd) -> Self {
        AnswerTexts { end, ..self }
    }

    /// The file to write to, instead of standard output.
    pub fn write_to(self, file: impl Into<PathBuf>) -> Self {
        AnswerTexts { output: Some(file.into()), ..self }
    }

    /// Replaces the output file if it exists.
    pub fn force(self, force: bool) -> Self {
        AnswerTexts { force, ..self }
    }

    /// Shows the bytes read so far, and stops the run: see [`RunProgress::stop`].
    pub fn progress(self, progress: &RunProgress) -> Self {
        AnswerTexts { progress: progress.clone(), ..self }
    }

    /// Reads every text and writes the bytes that `answer` appends to its second argument. If `answer` returns a reason
    /// instead, an empty line is written, and `unanswered` gets the reason. The output is published on success.
    ///
    /// # Errors
    /// `Usage` if an input does not exist or is the output; `Io` and `Data` if reading or writing fails; `Stopped`.
    /// Then no file is published.
    pub fn run(
        self,
        mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), String>,
        mut unanswered: impl FnMut(Unanswered),
    ) -> Result<TextStats> {
        let sources = match &self.given {
            Some(_) => Vec::new(),
            None => self.inputs.expand()?,
        };
        refuse_inputs(&sources, [self.output.as_deref(), None])?;
        let mut target = match &self.output {
            Some(path) => Target::create_for(&self.progress.temporaries, path, self.force)?,
            None => Target::stdout()?,
        };
        let mut stats = TextStats::default();
        let mut out = Vec::new();
        let mut write =
            |target: &mut Target, text: Result<&[u8], String>, name: &dyn Fn() -> String| -> Result<()> {
                stats.texts += 1;
                out.clear();
                if let Err(reason) = text.and_then(|text| answer(text, &mut out)) {
                    out.clear();
                    stats.unanswered += 1;
                    // If both outputs go to the same place, the reason appears in place of the answer.
                    target.end_batch()?;
                    unanswered(Unanswered { text: name(), reason });
                }
                out.push(self.end.byte());
                target.append(&out)
            };
        for (number, text) in (1..).zip(self.given.iter().flatten()) {
            write(&mut target, Ok(text.as_encoded_bytes()), &|| format!("argument {number}"))?;
        }
        for source in &sources {
            let what = self.end.text();
            let mut read = self.reader(source)?;
            let mut lines = Lines::new(self.end);
            while lines.advance(&mut target, &mut read)? {
                self.progress.counters.check()?;
                let number = lines.number;
                write(&mut target, lines.text(), &|| match source {
                    Source::Stdin => format!("{what} {number}"),
                    _ => format!("{}: {what} {number}", source.name()),
                })?;
            }
        }
        stats.bytes = target.commit()?;
        Ok(stats)
    }

    /// Whether the caller gave the texts, so that nothing is read.
    pub(super) fn has_texts(&self) -> bool {
        self.given.is_some()
    }

    /// How the bytes of a source are read.
    fn reader(&self, source: &Source) -> Result<ReadSome> {
        if *source != Source::Stdin {
            let mut reader = open(source, &Arc::clone(&self.progress.stored))?;
            return Ok(Box::new(move |buffer| reader.read(buffer)));
        }
        // Detecting compression would mean waiting for more than one line.
        streams::check_open(Stream::Input)?;
        refuse_own_input()?;
        let mut input = io::stdin().lock();
        Ok(Box::new(move |buffer| {
            loop {
                match input.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return read.map_err(|error| Error::io("read", "standard input", error)),
                }
            }
        }))
    }
}

/// The texts of a source, each copied to one buffer.
struct Lines {
    buffer: Box<[u8]>,
    /// The bytes read and not yet handled.
    from: usize,
    to: usize,
    end: TextEnd,
    /// The number of the current text, 1-based.
    number: u64,
    text: Vec<u8>,
    /// The length of the current text in the source, without its end; greater than the limit if the text is too long.
    length: usize,
    /// Whether its end has been read, rather than the end of the source.
    has_ended: bool,
}

impl Lines {
    fn new(end: TextEnd) -> Self {
        Lines {
            buffer: vec![0; BUFFER].into(),
            from: 0,
            to: 0,
            end,
            number: 0,
            text: Vec::new(),
            length: 0,
            has_ended: false,
        }
    }

    /// Goes to the next text; `false` if there is none.
    fn advance(
        &mut self,
        answers: &mut Target,
        read: &mut dyn FnMut(&mut [u8]) -> Result<usize>,
    ) -> Result<bool> {
        self.text.clear();
        self.length = 0;
        self.has_ended = false;
        self.number += 1;
        loop {
            if self.from == self.to {
                answers.end_batch()?;
                (self.from, self.to) = (0, read(&mut self.buffer)?);
                if self.to == 0 {
                    let is_bare_mark = self.end == TextEnd::LineFeed && self.number == 1 && self.text == MARK;
                    return Ok(self.length > 0 && !is_bare_mark);
                }
            }
            let unread = &self.buffer[self.from..self.to];
            let ended = memchr(self.end.byte(), unread);
            let taken = ended.unwrap_or(unread.len());
            let room = LONGEST.saturating_sub(self.length);
            self.text.extend_from_slice(&unread[..taken.min(room)]);
            self.length += taken;
            self.from += taken + usize::from(ended.is_some());
            if ended.is_some() {
                self.has_ended = true;
                return Ok(true);
            }
        }
    }

    fn text(&self) -> Result<&[u8], String> {
        if self.length > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let text = self.text.as_slice();
        if self.end == TextEnd::Nul {
            return Ok(text);
        }
        let text = text.strip_prefix(MARK).filter(|_| self.number == 1).unwrap_or(text);
        Ok(text.strip_suffix(b"\r").filter(|_| self.has_ended).unwrap_or(text))
    }
}
