//! Detects the definition that an input fits: more than half of its first lines have the form, or hold the members that
//! identify it, bare or after a prefix.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use memchr::memmem;
use serde_json::Value;
use urimill_base::locks::lock;
use urimill_read::format::first_lines::lines;
use urimill_read::format::json::path;

use super::access;
use super::definition::{Definition, Dialect, Fields, Form, HeaderKind};
use super::escapes::as_json;
use super::guess::{self, Guess, guess};
use super::leads::may_fit;
use super::lists::has_values;
use super::named::Names;
use super::pairs::Pairs;
use super::pattern::Pattern;
use super::shape::Shape;
use super::table;
use super::wrappers::{Chain, Search, Unwrap, Wrapper, unwrapped};
use crate::host::endpoint;

/// The format of an input.
#[derive(Debug, Clone)]
pub struct Detected {
    pub(super) definition: &'static Definition,
    /// What is around its lines, the outermost first.
    pub(super) wrappers: Vec<Wrapper>,
}

impl Detected {
    /// The name of the format.
    pub fn name(&self) -> &'static str {
        self.definition.name
    }

    /// The names of the wrappers around its lines, the outermost first.
    pub fn wrappers(&self) -> Vec<&str> {
        self.wrappers.iter().map(Wrapper::name).collect()
    }

    /// Whether something is around its lines.
    pub(super) fn unwraps(&self) -> bool {
        !self.wrappers.is_empty()
    }

    /// Whether both are read by the same definition.
    pub fn is_same(&self, other: &Detected) -> bool {
        std::ptr::eq(self.definition, other.definition)
    }

    /// Whether it is a log of web servers without prefixes.
    pub fn is_bare_clf(&self) -> bool {
        matches!(self.definition.form, Form::Clf) && !self.unwraps()
    }
}

/// The first of a user's formats, which have names and texts, that an input fits, bare or within wrappers.
pub fn detect_given(first: &[u8], given: &[(&str, &str)], unwrap: &Unwrap) -> Option<Detected> {
    let given = given.iter().filter_map(|(name, text)| table::given(name, text).ok());
    detect_among(first, table::ordered(given.collect()), unwrap)
}

/// The first of these formats that an input fits, bare or within wrappers.
pub(super) fn detect_among(
    first: &[u8],
    definitions: Vec<&'static Definition>,
    unwrap: &Unwrap,
) -> Option<Detected> {
    let (bare, chains) = (bare(first), OnceCell::new());
    let lines = Lines::of(&bare);
    definitions.into_iter().find_map(|definition| {
        if unwrap.may_be_bare() && fits_lines(definition, &lines, first) {
            return Some(Detected { definition, wrappers: Vec::new() });
        }
        let chains: &Vec<Chain> = chains.get_or_init(|| Search::new(first, &bare, unwrap).collect());
        let (definition, chain) = wrapped(chains.iter().cloned(), || [definition].into_iter())?;
        Some(Detected { definition, wrappers: chain.wrappers })
    })
}

/// The format of an input that begins with `first`.
pub fn detect(first: &[u8]) -> Option<Detected> {
    detect_as(first, &Unwrap::default())
}

/// The same, with these wrappers around the lines.
pub fn detect_as(first: &[u8], unwrap: &Unwrap) -> Option<Detected> {
    let bare = bare(first);
    let lines = Lines::of(&bare);
    let is_special = |definition: &&'static Definition| !matches!(definition.form, Form::Clf);
    let is_bare = unwrap.may_be_bare();
    let special = || table::all().filter(|_| is_bare).filter(is_special);
    let detected = |definition, wrappers| Detected { definition, wrappers };
    if let Some(definition) = special().find(|definition| fits_lines(definition, &lines, first)) {
        return Some(detected(definition, Vec::new()));
    }
    if let Some((definition, chain)) = wrapped(Search::new(first, &bare, unwrap), table::all) {
        return Some(detected(definition, chain.wrappers));
    }
    // A line that fits the format of web servers proves little.
    let clf = Some(&table::CLF).filter(|clf| is_bare && fits_lines(clf, &lines, first));
    // One of two lines may be odd.
    let half = Some(bare.len() / 2).filter(|half| *half > 0 && 2 * half == bare.len());
    let is_half =
        |definition: &&'static Definition| half.is_some_and(|half| fitting(definition, &lines, half) == half);
    Some(detected(clf.or_else(|| special().find(is_half))?, Vec::new()))
}

/// What the objects of an input are by the names and values of their members, bare or within wrappers. An input that fits
/// what `before` was taken for is taken for the same.
pub fn detect_objects(first: &[u8], before: Option<&Detected>, unwrap: &Unwrap) -> Guessed {
    if let Some(same) = before.and_then(|before| detect_among(first, vec![before.definition], unwrap)) {
        return Guessed::Log(same);
    }
    let detected = |definition, wrappers| Detected { definition, wrappers };
    let own = match guess(guess::lines(first)) {
        Guess::Log(definition) if unwrap.may_be_bare() => {
            return Guessed::Log(detected(definition, Vec::new()));
        }
        own => own,
    };
    for chain in Search::new(first, &bare(first), unwrap) {
        let lines = chain.lines.iter().map(Vec::as_slice);
        if let (true, Guess::Log(definition)) = (2 * chain.lines.len() > chain.count, guess(lines)) {
            return Guessed::Log(detected(definition, chain.wrappers));
        }
    }
    match own {
        Guess::Doubtful(definition) if unwrap.may_be_bare() => {
            Guessed::Doubtful(detected(definition, Vec::new()))
        }
        Guess::NoUri(found) => Guessed::NoUri(found),
        _ => Guessed::No,
    }
}

/// What the objects of an input are.
#[derive(Debug, Clone)]
pub enum Guessed {
    /// Records of requests.
    Log(Detected),
    /// Objects in which something makes the URI, but little else is known.
    Doubtful(Detected),
    /// No member makes a URI: a sentence about what was found.
    NoUri(String),
    /// Not objects.
    No,
}

/// The format of the lines that are in the field with this name, a column or a member, of an input.
pub fn detect_within(first: &[u8], field: &str, unwrap: &Unwrap) -> Option<Detected> {
    let bare = bare(first);
    let search = Search::new(first, &bare, unwrap).within(field);
    wrapped(search, table::all).map(|(definition, chain)| Detected { definition, wrappers: chain.wrappers })
}

/// The one of these formats that the lines within wrappers have. A part of a wrapper may be left before a line of web
/// servers: the first word of most has to be an address, unless no other chain of wrappers has that.
fn wrapped<D: Iterator<Item = &'static Definition>>(
    chains: impl Iterator<Item = Chain>,
    definitions: impl Fn() -> D,
) -> Option<(&'static Definition, Chain)> {
    let mut doubtful = None;
    for chain in chains {
        let mut behind = definitions().filter(|definition| !definition.is_named());
        let lines = Lines::of(&chain.lines);
        let without = chain.count - chain.lines.len();
        let found = behind.find(|definition| do_most_fit(definition, &lines, without));
        match found {
            Some(definition)
                if matches!(definition.form, Form::Clf) && 2 * clients(&chain.lines) <= chain.count =>
            {
                doubtful = doubtful.or(Some((definition, chain)));
            }
            Some(definition) => return Some((definition, chain)),
            None => {}
        }
    }
    doubtful
}

/// Whether most of the lines within wrappers begin with an address.
pub(super) fn begin_with_clients(first: &[u8], wrappers: &[Wrapper]) -> bool {
    let lines = if wrappers.is_empty() { Vec::new() } else { within(first, wrappers) };
    2 * clients(&lines) > lines.len()
}

/// How many lines begin with an address.
fn clients(lines: &[Vec<u8>]) -> usize {
    let is_client = |line: &&Vec<u8>| {
        let word = line.split(|&b| b == b' ').next().unwrap_or_default();
        endpoint(word.strip_suffix(b",").unwrap_or(word)).is_some()
    };
    lines.iter().filter(is_client).count()
}

/// The first lines, without the spaces before them.
fn bare(first: &[u8]) -> Vec<Vec<u8>> {
    let begin = |line: &[u8]| line.iter().take_while(|&&b| b == b' ').count();
    lines(first).map(|line| line[begin(line)..].to_vec()).collect()
}

/// The wrappers around the lines of a format, at the beginning of an input.
pub(super) fn around(definition: &'static Definition, first: &[u8], unwrap: &Unwrap) -> Vec<Wrapper> {
    if matches!(definition.form, Form::Named { .. }) {
        return Vec::new();
    }
    best(first, unwrap, |lines| fitting(definition, &Lines::of(lines), 1))
}

/// The wrappers around lines of some form `described`.
pub(super) fn around_described(patterns: &[Pattern], first: &[u8], unwrap: &Unwrap) -> Vec<Wrapper> {
    best(first, unwrap, |lines| lines.iter().filter(|line| Pattern::fit(patterns, line)).count())
}

/// The wrappers in which the most lines fit, if more do than bare.
fn best(first: &[u8], unwrap: &Unwrap, count: impl Fn(&[Vec<u8>]) -> usize) -> Vec<Wrapper> {
    let bare = bare(first);
    let bare_count = if unwrap.may_be_bare() { count(&bare) } else { 0 };
    let mut most = (bare_count, clients(&bare));
    let mut found = None;
    for chain in Search::new(first, &bare, unwrap) {
        let fit = (count(&chain.lines), clients(&chain.lines));
        if fit.0 > 0 && fit > most {
            (most, found) = (fit, Some(chain.wrappers));
        }
    }
    found.or_else(|| unwrap.known()).unwrap_or_default()
}

/// The first lines without the spaces before them, or the lines within them if something is around these.
pub(super) fn within(first: &[u8], wrappers: &[Wrapper]) -> Vec<Vec<u8>> {
    unwrapped(&bare(first), wrappers)
}

/// The fields of the first lines of a table, and where each line ends.
type Titles = Rc<[(Names, usize)]>;

/// The first lines of an input, or the lines in them, and the objects that they are: many formats look at them.
struct Lines<'l> {
    lines: &'l [Vec<u8>],
    objects: OnceCell<Vec<Option<Value>>>,
    /// The first lines of a table with this byte between its fields.
    titles: RefCell<BTreeMap<u8, Titles>>,
}

impl<'l> Lines<'l> {
    fn of(lines: &'l [Vec<u8>]) -> Lines<'l> {
        Lines { lines, objects: OnceCell::new(), titles: RefCell::default() }
    }

    fn objects(&self) -> &[Option<Value>] {
        let object = |line: &Vec<u8>| {
            let line = line.trim_ascii_start();
            line.starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
        };
        self.objects.get_or_init(|| self.lines.iter().map(object).collect())
    }

    fn titles(&self, head: HeaderKind, first: &[u8]) -> Titles {
        let mut titles = self.titles.borrow_mut();
        titles.entry(head.header().separator).or_insert_with(|| head.titles(first).into()).clone()
    }
}

fn fits_lines(definition: &'static Definition, lines: &Lines<'_>, first: &[u8]) -> bool {
    if let Form::Named { head, fields } = &definition.form {
        return of_records(definition, lines, |lines| names(definition, (*head, fields), lines, first));
    }
    do_most_fit(definition, lines, 0)
}

/// Whether more than half of the lines, and of others `without` their wrappers, have the form.
fn do_most_fit(definition: &'static Definition, lines: &Lines<'_>, without: usize) -> bool {
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

/// What reads the lines of a format. Making that of all formats takes longer than looking at the beginning of an input,
/// which detection does several times, so each is made once in a process, and only where it `may_fit`.
fn compiled(definition: &'static Definition, may_fit: impl Fn() -> bool) -> Option<Compiled> {
    // A definition lives as long as the process, so that its place tells it.
    static COMPILED: Mutex<BTreeMap<usize, Compiled>> = Mutex::new(BTreeMap::new());
    let place = std::ptr::from_ref(definition).addr();
    if let Some(known) = lock(&COMPILED).get(&place) {
        return Some(known.clone());
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
    lock(&COMPILED).insert(place, made.clone());
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

/// How many lines are of the form; 0 if fewer than `least` are.
fn fitting(definition: &'static Definition, of: &Lines<'_>, least: usize) -> usize {
    let lines = of.lines;
    if matches!(definition.form, Form::Clf) {
        return count(lines.iter().map(|line| access::is_line(line)), least);
    }
    match compiled(definition, || lines.iter().any(|line| may_be_of(definition, line))) {
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
    named.unwrap_or_else(|| has_values(definition, (head, fields), lines.lines))
}
