//! Detects the definition that an input fits: more than half of its first lines have the form, or hold the members that
//! identify it, bare or after a prefix.

use std::cell::OnceCell;

use urimill_read::format::first_lines::lines;

use super::definition::{Definition, Form};
use super::fitting::{Lines, do_most_fit, fits_lines, fitting};
use super::guess::{self, Guess, guess};
use super::pattern::Pattern;
use super::table;
use super::wrappers::{self, Chain, Search, Unwrap, Wrapper, unwrapped};
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
        self.wrappers.iter().any(Wrapper::is_text)
    }

    /// Whether both are read by the same definition.
    pub fn is_same(&self, other: &Detected) -> bool {
        std::ptr::eq(self.definition, other.definition)
    }

    /// Whether it is a log of web servers without prefixes.
    pub fn is_bare_clf(&self) -> bool {
        matches!(self.definition.form, Form::Clf) && self.wrappers.is_empty()
    }
}

/// The first of a user's formats, which have names and texts, that an input fits, bare or within wrappers.
pub fn detect_given(first: &[u8], given: &[(&str, &str)], unwrap: &Unwrap) -> Option<Detected> {
    let given = given.iter().filter_map(|(name, text)| table::given(name, text).ok());
    detect_among(first, table::ordered(given.collect()), unwrap)
}

/// How many of an input's first lines, and of how many, are of the format of a user's that fits the most of them.
pub fn nearest_given(first: &[u8], given: &[(&str, &str)]) -> Option<(&'static str, usize, usize)> {
    let bare = bare(first);
    let lines = Lines::of(&bare);
    let given = given.iter().filter_map(|(name, text)| table::given(name, text).ok());
    let counts = given.map(|definition| (definition.name, fitting(definition, &lines, 1), bare.len()));
    counts.max_by_key(|(_, count, _)| *count)
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
    if let Some(definition) = first_of(special(), |definition| fits_lines(definition, &lines, first), &lines)
    {
        return Some(detected(definition, Vec::new()));
    }
    let mut search = Search::new(first, &bare, unwrap);
    // The objects may be records that have lists of others.
    if is_bare && search.has_array_of_member() && matches!(guess(guess::lines(first)), Guess::Log(_)) {
        search = search.without_arrays();
    }
    if let Some((definition, chain)) = wrapped(search, table::all) {
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

/// The first of these formats that fits. Objects may have the members by which several are detected: of those formats
/// the one with a field for the most members is taken, unless the first says that it comes before.
fn first_of(
    mut definitions: impl Iterator<Item = &'static Definition>,
    fits: impl Fn(&'static Definition) -> bool,
    lines: &Lines<'_>,
) -> Option<&'static Definition> {
    let first = definitions.find(|definition| fits(definition))?;
    if !matches!(first.form, Form::Objects { .. }) {
        return Some(first);
    }
    let others = definitions.filter(|other| matches!(other.form, Form::Objects { .. }));
    let others = others.filter(|other| !first.before.contains(&other.name) && fits(other));
    let best = others.fold((first, lines.members_of(first)), |(best, most), other| {
        let count = lines.members_of(other);
        if count > most { (other, count) } else { (best, most) }
    });
    Some(best.0)
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
        let lines = Lines::of(&chain.lines);
        let without = chain.count - chain.lines.len();
        let behind = definitions().filter(|definition| definition.may_be_wrapped());
        let found = first_of(behind, |definition| do_most_fit(definition, &lines, without), &lines);
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
    let has_header = || matches!(definition.form, Form::Named { head, .. } if head.first(first).is_some());
    if !definition.may_be_wrapped() || has_header() {
        return Vec::new();
    }
    // An object of the format has no such object in it that would be the better one.
    if matches!(definition.form, Form::Objects { .. }) && unwrap.may_be_bare() {
        let bare = bare(first);
        if !bare.is_empty() && fitting(definition, &Lines::of(&bare), bare.len()) > 0 {
            return Vec::new();
        }
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
        // The brackets of a document may have lines of their own.
        let is_array = matches!(chain.wrappers[..], [Wrapper::Array(_), ..]) && fit.0 == most.0;
        if fit.0 > 0 && (fit > most || is_array) {
            (most, found) = (fit, Some(chain.wrappers));
        }
    }
    found.or_else(|| unwrap.known()).unwrap_or_default()
}

/// The first lines without the spaces before them, or the lines within them if something is around these.
pub(super) fn within(first: &[u8], wrappers: &[Wrapper]) -> Vec<Vec<u8>> {
    unwrapped(&wrappers::lines(first, bare(first), wrappers), wrappers)
}
