//! Detects the definition that an input fits: more than half of its first lines have the form, or hold the members that
//! identify it, bare or after a prefix.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use urimill_base::locks::lock;
use urimill_columns::batch::Records;
use urimill_read::format::first_lines::lines;

use super::access;
use super::definition::HeaderKind;
use super::definition::{Definition, Fields, Form, Writer};
use super::escapes::as_json;
use super::headed::Header;
use super::named::{Between, Slots, split};
use super::pairs::Pairs;
use super::pattern::Pattern;
use super::prefix;
use super::prefix::Inner;
use super::shape::Shape;
use super::table;

/// The format of an input.
#[derive(Debug, Clone, Copy)]
pub struct Detected {
    pub(super) definition: &'static Definition,
    pub(super) unwraps: bool,
}

impl Detected {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        self.definition.name
    }

    /// Whether it is a log of web servers without prefixes.
    pub fn is_bare_clf(self) -> bool {
        matches!(self.definition.form, Form::Clf) && !self.unwraps
    }
}

/// The first of a user's formats, which have names and texts, that an input fits, bare or after a prefix.
pub fn detect_given(first: &[u8], given: &[(&str, &str)]) -> Option<Detected> {
    let mut given = given.iter().filter_map(|(name, text)| table::given(name, text).ok());
    let (bare, unwrapped) = (bare(first), OnceCell::new());
    given.find_map(|definition| {
        let unwraps = match fits_lines(definition, &bare, first) {
            true => false,
            false if definition.is_named() => return None,
            false => {
                let unwrapped = unwrapped.get_or_init(|| self::unwrapped(&bare));
                (2 * fitting(definition, unwrapped) > bare.len()).then_some(true)?
            }
        };
        Some(Detected { definition, unwraps })
    })
}

/// The format of an input that begins with `first`.
pub fn detect(first: &[u8]) -> Option<Detected> {
    let bare = bare(first);
    let is_special = |definition: &&'static Definition| !matches!(definition.form, Form::Clf);
    let found = table::all().filter(is_special).find(|definition| fits_lines(definition, &bare, first));
    if let Some(definition) = found {
        return Some(Detected { definition, unwraps: false });
    }
    let unwrapped = unwrapped(&bare);
    let is_behind = |definition: &&Definition| !matches!(definition.form, Form::Named { .. });
    let mut behind = table::all().filter(is_behind);
    let found = behind.find(|definition| 2 * fitting(definition, &unwrapped) > bare.len());
    // A line that fits the format of web servers proves little.
    let clf = Some(&table::CLF).filter(|clf| fits_lines(clf, &bare, first));
    // One of two lines may be odd.
    let is_half = |definition: &&'static Definition| match fitting(definition, &bare) {
        0 => false,
        lines => 2 * lines == bare.len(),
    };
    let definition = found.or(clf).or_else(|| table::all().filter(is_special).find(is_half))?;
    Some(Detected { definition, unwraps: found.is_some() })
}

/// The first lines, without the spaces before them.
fn bare(first: &[u8]) -> Vec<Vec<u8>> {
    let begin = |line: &[u8]| line.iter().take_while(|&&b| b == b' ').count();
    lines(first).map(|line| line[begin(line)..].to_vec()).collect()
}

/// Whether the lines of a format come after a prefix, at the beginning of an input.
pub(super) fn is_wrapped(definition: &'static Definition, first: &[u8]) -> bool {
    if matches!(definition.form, Form::Named { .. }) {
        return false;
    }
    fits_more(first, |lines| fitting(definition, lines))
}

/// Whether lines fit some form `described` bare, or after a prefix.
pub(super) fn is_described_wrapped(patterns: &[Pattern], first: &[u8]) -> bool {
    fits_more(first, |lines| lines.iter().filter(|line| Pattern::fit(patterns, line)).count())
}

/// Whether more lines fit after a prefix than bare.
fn fits_more(first: &[u8], count: impl Fn(&[Vec<u8>]) -> usize) -> bool {
    let bare = bare(first);
    count(&unwrapped(&bare)) > count(&bare)
}

/// The first lines, or the lines within them if the format `unwraps`.
pub(super) fn within(first: &[u8], unwraps: bool) -> Vec<Vec<u8>> {
    let bare = bare(first);
    if unwraps { unwrapped(&bare) } else { bare }
}

/// The lines that stand in others.
fn unwrapped(lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut records = Records::default();
    let inner = |line: &Vec<u8>| match prefix::unwrap(line, 0)? {
        Inner::From(at) => Some(line[at..].trim_ascii_start().to_vec()),
        Inner::Member(value) => {
            let text = value.text(line, &mut records);
            Some(records.bytes_of(line, text).trim_ascii_end().to_vec())
        }
    };
    lines.iter().filter_map(inner).collect()
}

fn fits_lines(definition: &'static Definition, lines: &[Vec<u8>], first: &[u8]) -> bool {
    if let Form::Named { head, fields } = &definition.form {
        return names(definition, (*head, fields), lines, first);
    }
    2 * fitting(definition, lines) > lines.len()
}

/// The patterns of a format of lines. Making those of all formats takes longer than looking at the beginning of an
/// input, which detection does several times, so each is made once in a process.
fn compiled(definition: &'static Definition, writer: Writer, forms: &[&str]) -> Arc<[Pattern]> {
    // By the text of its file, too: a user may change it.
    type Key = (&'static str, &'static str);
    static COMPILED: Mutex<BTreeMap<Key, Arc<[Pattern]>>> = Mutex::new(BTreeMap::new());
    let compile = || {
        let mut shape = Shape::with_values(definition.values);
        forms.iter().filter_map(|form| Pattern::new(form, writer, &mut shape).ok()).collect()
    };
    Arc::clone(lock(&COMPILED).entry((definition.name, definition.file)).or_insert_with(compile))
}

/// How many lines are of the form.
fn fitting(definition: &'static Definition, lines: &[Vec<u8>]) -> usize {
    match &definition.form {
        Form::Lines(writer, forms) => {
            if lines.is_empty() {
                return 0;
            }
            let patterns = compiled(definition, *writer, forms);
            lines.iter().filter(|line| Pattern::fit(&patterns, line)).count()
        }
        Form::Objects { detected_by, .. } => {
            let read = |line: &[u8]| {
                let escaped = definition.has_escapes_beside_json();
                let plain = serde_json::from_slice(line).ok();
                plain.or_else(|| serde_json::from_slice(&as_json(line).filter(|_| escaped)?).ok())
            };
            let has = |line: &&Vec<u8>| {
                let line = line.trim_ascii_start();
                let object = line.starts_with(b"{").then(|| read(line)).flatten();
                object.is_some_and(|object: serde_json::Value| {
                    detected_by.iter().all(|path| has_one(&object, path))
                })
            };
            lines.iter().filter(has).count()
        }
        Form::Pairs { dialect, lead, detected_by, fields } => {
            let mut shape = Shape::with_values(definition.values);
            let pairs = Pairs::new((*dialect, lead), detected_by, fields, &mut shape);
            lines.iter().filter(|line| pairs.fits(line)).count()
        }
        Form::Named { .. } | Form::Described => 0,
        Form::Clf => lines.iter().filter(|line| access::is_line(line)).count(),
    }
}

/// Whether an object has a member at one of these paths, which are separated by bars.
fn has_one(object: &serde_json::Value, paths: &str) -> bool {
    paths.split('|').any(|path| has_path(object, &urimill_read::format::json::path::parts(path)))
}

/// Whether it has the member of a path: nested names, or one name with dots.
fn has_path(object: &serde_json::Value, path: &[String]) -> bool {
    (1..=path.len()).any(|count| {
        let (name, rest) = path.split_at(count);
        object.get(name.join(".")).is_some_and(|value| rest.is_empty() || has_path(value, rest))
    })
}

/// Whether a header names fields of the format; or, without a header, whether a line has the fields that it would name.
fn names(
    definition: &Definition,
    (head, fields): (HeaderKind, Fields),
    lines: &[Vec<u8>],
    first: &[u8],
) -> bool {
    match head.first(first) {
        Some((names, _)) => !names.is_empty() && head.header().is_named(&names),
        None => has_values(definition, (head, fields), lines),
    }
}

/// Whether more than half of the lines have the values that a header without lines would name.
fn has_values(definition: &Definition, (head, fields): (HeaderKind, Fields), lines: &[Vec<u8>]) -> bool {
    let Some(names) = head.bare(lines.iter().map(Vec::as_slice)) else { return false };
    let mut shape = Shape::with_values(definition.values);
    let slots = Slots::new(definition, &names, &mut shape);
    let header = Header::new(names, &slots, (&shape, fields), head);
    // Without a header tabs stand between the fields of the extended format.
    let between = |line: &[u8]| if head.is_csv() { head.between(line) } else { Between::Tabs };
    let mut parts = Vec::new();
    let fits = |line: &&Vec<u8>| {
        split(line, (0, line.len()), between(line), &mut parts);
        header.stop(line, &parts).is_none()
    };
    2 * lines.iter().filter(fits).count() > lines.len()
}
