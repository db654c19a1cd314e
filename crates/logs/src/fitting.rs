//! How many of the first lines of an input have the form of a definition, or hold the members that identify it.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use memchr::memmem;
use serde_json::Value;
use urimill_base::locks::lock;
use urimill_read::format::json::path;

use super::access;
use super::definition::{Definition, Dialect, Fields, Form, HeaderKind};
use super::escapes::as_json;
use super::leads::{Bytes, may_fit};
use super::lists::count_values;
use super::named::Names;
use super::pairs::Pairs;
use super::pattern::Pattern;
use super::shape::Shape;

/// The fields of the first lines of a table, and where each line ends.
type Titles = Rc<[(Names, usize)]>;

/// The first lines of an input, or the lines in them, and the objects that they are: many formats look at them.
pub(super) struct Lines<'l> {
    lines: &'l [Vec<u8>],
    bytes: OnceCell<Vec<Bytes>>,
    objects: OnceCell<Vec<Option<Value>>>,
    /// The first lines of a table with this byte between its fields.
    titles: RefCell<BTreeMap<u8, Titles>>,
}

impl<'l> Lines<'l> {
    pub(super) fn of(lines: &'l [Vec<u8>]) -> Lines<'l> {
        Lines { lines, bytes: OnceCell::new(), objects: OnceCell::new(), titles: RefCell::default() }
    }

    fn bytes(&self) -> &[Bytes] {
        self.bytes.get_or_init(|| self.lines.iter().map(|line| Bytes::of(line)).collect())
    }

    fn objects(&self) -> &[Option<Value>] {
        let object = |line: &Vec<u8>| {
            let line = line.trim_ascii_start();
            line.starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
        };
        self.objects.get_or_init(|| self.lines.iter().map(object).collect())
    }

    /// How many members of the first object have a field in a format.
    pub(super) fn members_of(&self, definition: &Definition) -> usize {
        let Form::Objects { fields, .. } = definition.form else { return 0 };
        let Some(object) = self.objects().iter().flatten().next() else { return 0 };
        fields.iter().filter(|(member, _)| has_path(object, &path::parts(member))).count()
    }

    fn titles(&self, head: HeaderKind, first: &[u8]) -> Titles {
        let mut titles = self.titles.borrow_mut();
        titles.entry(head.header().separator).or_insert_with(|| head.titles(first).into()).clone()
    }
}

pub(super) fn fits_lines(definition: &'static Definition, lines: &Lines<'_>, first: &[u8]) -> bool {
    if let Form::Named { head, fields } = &definition.form {
        return of_records(definition, lines, |lines| names(definition, (*head, fields), lines, first));
    }
    do_most_fit(definition, lines, 0)
}

/// Whether more than half of the lines, and of others `without` their wrappers, have the form.
pub(super) fn do_most_fit(definition: &'static Definition, lines: &Lines<'_>, without: usize) -> bool {
    of_records(definition, lines, |lines| {
        fitting(definition, lines, (lines.lines.len() + without) / 2 + 1) > 0
    })
}

/// Looks at the lines that are records of a format.
fn of_records(definition: &Definition, lines: &Lines<'_>, look: impl FnOnce(&Lines<'_>) -> bool) -> bool {
    if !lines.lines.iter().any(|line| definition.skips(line)) {
        return look(lines);
    }
    let records: Vec<_> = lines.lines.iter().filter(|line| !definition.skips(line)).cloned().collect();
    look(&Lines::of(&records))
}

/// What reads the lines of a format.
#[derive(Clone)]
enum Compiled {
    Lines(Arc<[Pattern]>),
    Pairs(Arc<Pairs>),
    /// Members, each with the paths that it may have.
    Objects(Arc<[Vec<Vec<String>>]>),
    Other,
}

/// What is known of a definition. Making that of all formats takes longer than looking at the beginning of an input,
/// which detection does several times, so each part is made once in a process, and only where it is needed.
#[derive(Default)]
struct Known {
    /// For each form of its lines, the bytes that such a line has.
    bytes: Option<Arc<[Bytes]>>,
    compiled: Option<Compiled>,
}

// A definition lives as long as the process, so that its place tells it.
static KNOWN: Mutex<BTreeMap<usize, Known>> = Mutex::new(BTreeMap::new());

fn known<T>(definition: &'static Definition, get: impl FnOnce(&mut Known) -> T) -> T {
    let place = std::ptr::from_ref(definition).addr();
    get(lock(&KNOWN).entry(place).or_default())
}

/// For each form of its lines, the bytes that such a line has.
fn bytes_of(definition: &Definition) -> Arc<[Bytes]> {
    let text = |text: &str| Bytes::of(text.as_bytes());
    let bytes = match &definition.form {
        Form::Lines(_, forms) => return forms.iter().map(|form| Bytes::of_form(form)).collect(),
        Form::Pairs { dialect: Dialect::Words { assign, .. }, detected_by, .. } => {
            let names = |names: &&str| names.split('|').map(text).reduce(Bytes::common).unwrap_or_default();
            detected_by.iter().map(names).fold(Bytes::of(&[*assign]), Bytes::and)
        }
        Form::Pairs { dialect: Dialect::Cef, .. } => text("CEF:"),
        Form::Pairs { dialect: Dialect::Leef, .. } => text("LEEF:"),
        Form::Objects { .. } => text("{"),
        _ => Bytes::default(),
    };
    [bytes].into()
}

/// What reads the lines of a format, if it is made already or they `may_fit`.
fn compiled(definition: &'static Definition, may_fit: impl Fn() -> bool) -> Option<Compiled> {
    if let Some(compiled) = known(definition, |known| known.compiled.clone()) {
        return Some(compiled);
    }
    if !may_fit() {
        return None;
    }
    let mut shape = Shape::of(definition);
    let made = match &definition.form {
        Form::Lines(writer, forms) => {
            let patterns = forms.iter().filter_map(|form| Pattern::new(form, *writer, &mut shape).ok());
            Compiled::Lines(patterns.collect())
        }
        Form::Pairs { dialect, lead, detected_by, fields } => {
            Compiled::Pairs(Arc::new(Pairs::new((*dialect, lead), detected_by, fields, &mut shape)))
        }
        Form::Objects { detected_by, .. } => {
            let paths = |member: &&str| member.split('|').map(path::parts).collect();
            Compiled::Objects(detected_by.iter().map(paths).collect())
        }
        _ => Compiled::Other,
    };
    known(definition, |known| known.compiled = Some(made.clone()));
    Some(made)
}

/// Whether a line may be of the form, by its texts alone.
fn may_be_of(definition: &Definition, line: &[u8]) -> bool {
    match &definition.form {
        Form::Lines(_, forms) => forms.iter().any(|form| may_fit(form, line)),
        Form::Pairs { dialect: Dialect::Words { .. }, detected_by, .. } => {
            let has = |name: &str| memmem::find(line, name.as_bytes()).is_some();
            detected_by.iter().all(|names| names.split('|').any(has))
        }
        Form::Pairs { dialect: Dialect::Cef, .. } => memmem::find(line, b"CEF:").is_some(),
        Form::Pairs { dialect: Dialect::Leef, .. } => memmem::find(line, b"LEEF:").is_some(),
        Form::Objects { .. } => line.trim_ascii_start().starts_with(b"{"),
        _ => true,
    }
}

/// The number of lines up to which texts are looked for without knowing the bytes.
const FEW: usize = 2;

/// How many lines are of the form; 0 if fewer than `least` are.
pub(super) fn fitting(definition: &'static Definition, of: &Lines<'_>, least: usize) -> usize {
    let lines = of.lines;
    if matches!(definition.form, Form::Clf) {
        return count(lines.iter().map(|line| access::is_line(line)), least);
    }
    if let Form::Named { head, fields } = definition.form {
        return if definition.may_be_wrapped() {
            count_values(definition, (head, fields), lines, least)
        } else {
            0
        };
    }
    // It takes longer to know the bytes of all forms than to look for the texts of some in few lines.
    let bytes_of = |known: &mut Known| known.bytes.get_or_insert_with(|| bytes_of(definition)).clone();
    let forms = (lines.len() > FEW).then(|| known(definition, bytes_of));
    let has_bytes =
        |bytes: &Bytes| forms.as_ref().is_none_or(|forms| forms.iter().any(|form| bytes.have(*form)));
    if count(of.bytes().iter().map(has_bytes), least) == 0 {
        return 0;
    }
    let may_be = |(line, bytes): (&Vec<u8>, &Bytes)| has_bytes(bytes) && may_be_of(definition, line);
    match compiled(definition, || count(lines.iter().zip(of.bytes()).map(may_be), least) > 0) {
        Some(Compiled::Lines(patterns)) => {
            count(lines.iter().map(|line| Pattern::fit(&patterns, line)), least)
        }
        Some(Compiled::Pairs(pairs)) => count(lines.iter().map(|line| pairs.fits(line)), least),
        Some(Compiled::Objects(members)) => {
            let has =
                |object: &Value| members.iter().all(|paths| paths.iter().any(|path| has_path(object, path)));
            let has_escaped = |line: &[u8]| {
                let line = line.trim_ascii_start();
                let json = as_json(line).filter(|_| line.starts_with(b"{"));
                json.and_then(|json| serde_json::from_slice(&json).ok()).is_some_and(|object| has(&object))
            };
            let is_one = |(line, object): (&Vec<u8>, &Option<Value>)| match object {
                Some(object) => has(object),
                None => definition.has_escapes_beside_json() && has_escaped(line),
            };
            count(lines.iter().zip(of.objects()).map(is_one), least)
        }
        Some(Compiled::Other) | None => 0,
    }
}

/// How many lines pass a test; 0 if fewer than `least` do, which ends it early.
fn count(mut passes: impl ExactSizeIterator<Item = bool>, least: usize) -> usize {
    let mut passed = 0;
    while let Some(has_passed) = passes.next() {
        passed += usize::from(has_passed);
        if passed + passes.len() < least {
            return 0;
        }
    }
    passed
}

/// Whether it has the member of a path: nested names, or one name with dots.
fn has_path(object: &Value, path: &[String]) -> bool {
    (1..=path.len()).any(|count| {
        let (names, rest) = path.split_at(count);
        let name = match names {
            [name] => Cow::Borrowed(&**name),
            names => names.join(".").into(),
        };
        object.get(&*name).is_some_and(|value| rest.is_empty() || has_path(value, rest))
    })
}

/// Whether a header names fields of the format; or, without a header, whether a line has the fields that it would name.
fn names(
    definition: &Definition,
    (head, fields): (HeaderKind, Fields),
    lines: &Lines<'_>,
    first: &[u8],
) -> bool {
    let header = head.header();
    let is_header = |names: &Names| !names.is_empty() && header.is_named(names);
    let named = match head.is_csv() {
        true => {
            let titles = lines.titles(head, first);
            header.place(&titles).map(|at| is_header(&titles[at].0))
        }
        false => head.first(first).map(|(names, _)| is_header(&names)),
    };
    let most = lines.lines.len() / 2 + 1;
    named.unwrap_or_else(|| count_values(definition, (head, fields), lines.lines, most) > 0)
}
