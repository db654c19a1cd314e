//! What is around the line of a log: a text before it (`text`, `syslog`, `parts`), an object of which it is a member
//! (`member`), a table of which it is a column (`column`), or a document whose array has it (`array`); and one of
//! these in another. [`Search`] finds the wrappers of an input: it takes off those that most of its first lines have, and
//! what is around the lines in them, and the caller says which lines have the form of a format. A chain of wrappers has
//! the outermost first.

pub(crate) mod around;
pub(crate) mod array;
pub(crate) mod column;
pub(crate) mod member;
pub(crate) mod parts;
mod syslog;
pub(crate) mod text;
#[cfg(test)]
mod wrapper_tests;

use std::collections::VecDeque;
use std::str::FromStr;

use urimill_base::error::{Error, Result, did_you_mean};
use urimill_base::option_name::OptionName;
use urimill_read::format::json::path;

use array::{ARRAYS, Array};
use column::Column;
use member::Member;
use text::{ROWS, Row};

/// At most this many wrappers are around a line.
pub(crate) const DEPTH: usize = 4;
/// At most this many chains are tried.
const MOST: usize = 128;

/// One wrapper.
#[derive(Debug, Clone)]
pub(crate) enum Wrapper {
    /// A text before the line.
    Text(&'static Row),
    /// An object.
    Member(Member),
    /// A table; only around all others.
    Column(Column),
    /// An array in a document; only around all others.
    Array(Array),
}

impl Wrapper {
    /// Its name in options and summaries.
    pub(crate) fn name(&self) -> &str {
        match self {
            Wrapper::Text(row) => row.name,
            Wrapper::Member(member) => &member.name,
            Wrapper::Column(column) => &column.name,
            Wrapper::Array(array) => array.name,
        }
    }

    /// Takes it off a line, which stands alone.
    fn take_off(&self, line: &[u8]) -> Option<Vec<u8>> {
        match self {
            Wrapper::Text(row) => {
                let line = line[row.find(line)?.line..].trim_ascii_start();
                Some(line.to_vec()).filter(|line| !line.is_empty())
            }
            Wrapper::Member(member) => trimmed(member.text(line, &member::members(line)?)?),
            Wrapper::Column(column) => {
                let field = column.record(line, 0).line?;
                let mut text = Vec::new();
                field.write(line, &mut text);
                trimmed(text)
            }
            // Lines were made of its elements.
            Wrapper::Array(_) => Some(line.to_vec()),
        }
    }

    /// Whether there is a text around the line.
    pub(crate) fn is_text(&self) -> bool {
        !matches!(self, Wrapper::Array(array) if array.path.is_empty())
    }
}

/// The lines of the beginning of an input: the first ones, or the elements of its array.
pub(crate) fn lines(first: &[u8], bare: Vec<Vec<u8>>, chain: &[Wrapper]) -> Vec<Vec<u8>> {
    match chain.first() {
        Some(Wrapper::Array(_)) => array::find(first).map(|(_, lines)| lines).unwrap_or_default(),
        _ => bare,
    }
}

/// A line without the space at its end; none if nothing is left.
fn trimmed(mut line: Vec<u8>) -> Option<Vec<u8>> {
    line.truncate(trim_end(&line).len());
    Some(line).filter(|line| !line.is_empty())
}

/// A text without the spaces and line ends at its end. A tab may have an empty field behind it.
pub(crate) fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\r' | b'\n'] = text {
        text = rest;
    }
    text
}

/// The lines in lines: those without the wrappers of the chain are left out.
pub(crate) fn unwrapped(lines: &[Vec<u8>], chain: &[Wrapper]) -> Vec<Vec<u8>> {
    let inner = |line: &Vec<u8>| chain.iter().try_fold(line.clone(), |line, wrapper| wrapper.take_off(&line));
    lines.iter().filter_map(inner).collect()
}

/// The wrapper that a line has, if it lacks that of most lines.
pub(crate) fn sure(line: &[u8]) -> Option<Wrapper> {
    if line.starts_with(b"{") {
        let is_one = |member: &Member, beside: &[&str]| {
            member::first(line, (0, line.len()), beside).is_some()
                && member.find(line, 0, line.len()).is_ok_and(|value| value.is_some())
        };
        let known = [(Member::docker(), DOCKER), (Member::journald(), JOURNALD)];
        let found = known.into_iter().find(|(member, beside)| is_one(member, beside));
        if let Some((member, _)) = found {
            return Some(Wrapper::Member(member));
        }
    }
    ROWS.iter().find(|row| row.is_sure && row.find(line).is_some()).map(Wrapper::Text)
}

/// The members beside the line in Docker's objects, and in journald's.
const DOCKER: &[&str] = &["stream", "time"];
const JOURNALD: &[&str] = &["__REALTIME_TIMESTAMP"];

/// Whether a text may be the line of a log: it has several fields, and a number.
fn may_be_line(text: &[u8]) -> bool {
    text.len() >= 16
        && text.iter().any(u8::is_ascii_digit)
        && text.iter().filter(|b| b" \t,{|;=".contains(b)).nth(1).is_some()
}

/// Which wrappers are removed from the lines of a log.
///
/// ```
/// use urimill_logs::Unwrap;
///
/// assert_eq!("auto".parse::<Unwrap>()?, Unwrap::default());
/// assert!("journald,docker".parse::<Unwrap>().is_ok());
/// assert!("nothing".parse::<Unwrap>().is_err());
/// # Ok::<(), urimill_base::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unwrap(Wanted);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Wanted {
    /// Those that the first lines have.
    #[default]
    Auto,
    /// None.
    None,
    /// Those with these names, the outermost first.
    Named(Vec<String>),
}

impl Unwrap {
    /// The names of all wrappers; `json` and `csv` may have `:` and the name of a member or a column after them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let rows = ROWS
            .iter()
            .enumerate()
            .filter(|(at, row)| ROWS[..*at].iter().all(|other| other.name != row.name));
        rows.map(|(_, row)| row.name).chain(["docker", "journald", "json", "csv", "tsv", array::NAME])
    }

    /// The texts before lines: the name, who writes it, and an example.
    pub fn texts() -> impl Iterator<Item = [&'static str; 3]> {
        ROWS.iter().map(|row| [row.name, row.about, row.example])
    }

    /// Whether the lines may have none.
    pub(crate) fn may_be_bare(&self) -> bool {
        !matches!(self.0, Wanted::Named(_))
    }

    /// The name of the wrapper at a depth, if it is given.
    fn name(&self, depth: usize) -> Option<&str> {
        match &self.0 {
            Wanted::Named(names) => names.get(depth).map(String::as_str),
            _ => None,
        }
    }

    /// Whether a chain of this length may be the right one.
    fn is_deep_enough(&self, depth: usize) -> bool {
        match &self.0 {
            Wanted::Named(names) => depth == names.len(),
            _ => true,
        }
    }

    /// The deepest chain.
    fn depth(&self) -> usize {
        match &self.0 {
            Wanted::None => 0,
            Wanted::Auto => DEPTH,
            Wanted::Named(names) => names.len(),
        }
    }

    /// Refuses an input in which wrappers that a user has named were not found.
    pub(crate) fn check(&self, found: &[Wrapper], first: &[u8], source: &str) -> Result<()> {
        if found.is_empty() && !first.is_empty() { self.refuse(source) } else { Ok(()) }
    }

    /// Refuses an input that is no log, if a user has named wrappers of its lines.
    ///
    /// # Errors
    /// Usage: what the input `source` lacks.
    pub fn refuse(&self, source: &str) -> Result<()> {
        let Wanted::Named(names) = &self.0 else { return Ok(()) };
        let names: Vec<&str> = names.iter().rev().map(String::as_str).collect();
        let what = format!("{source} has no lines of the format within {}", names.join(" within "));
        Err(Error::usage(format!("{what}: check {}", OptionName::Unwrap.named())))
    }

    /// The chain, if the names are enough to know it, whatever the lines are.
    pub(crate) fn known(&self) -> Option<Vec<Wrapper>> {
        let Wanted::Named(names) = &self.0 else { return None };
        let wrapper = |name: &String| {
            let row = ROWS.iter().find(|row| row.name == name).map(Wrapper::Text);
            let member = || match (&**name, name.strip_prefix("json:")) {
                ("docker", _) => Some(Member::docker()),
                ("journald", _) => Some(Member::journald()),
                (_, path) => path.map(Member::new),
            };
            row.or_else(|| member().map(Wrapper::Member))
        };
        names.iter().map(wrapper).collect()
    }
}

impl FromStr for Unwrap {
    type Err = Error;

    /// `auto`, `none`, or names with commas between, the outermost first.
    fn from_str(text: &str) -> Result<Unwrap> {
        let names = match text {
            "auto" => return Ok(Unwrap::default()),
            "none" => return Ok(Unwrap(Wanted::None)),
            names => names.split(',').map(str::trim).map(str::to_owned).collect::<Vec<_>>(),
        };
        for (at, name) in names.iter().enumerate() {
            let (kind, place) =
                name.split_once(':').map_or((&**name, None), |(kind, place)| (kind, Some(place)));
            let is_table = matches!(kind, "csv" | "tsv");
            let is_array = ARRAYS.iter().any(|array| array.name == name);
            let is_whole = is_table || is_array;
            if !Unwrap::names().any(|known| known == kind)
                || place.is_some_and(|place| place.is_empty() || !(is_table || kind == "json" || is_array))
            {
                let meant = did_you_mean(name, Unwrap::names());
                return Err(Error::usage(format!(
                    "there is no wrapper {name:?}{meant}: give auto, none, or names with commas between: {}; json and \
                     csv take a member or a column, as in json:message, and array {}",
                    Unwrap::names().collect::<Vec<_>>().join(", "),
                    Array::paths()
                )));
            }
            if is_whole && at > 0 {
                let what = if is_table { "a table" } else { "an array" };
                return Err(Error::usage(format!("{what} is around all other wrappers: name {kind} first")));
            }
        }
        if names.len() > DEPTH {
            return Err(Error::usage(format!("give at most {DEPTH} wrappers")));
        }
        Ok(Unwrap(Wanted::Named(names)))
    }
}

/// A chain of wrappers that most of the first lines have, and the lines in them.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) wrappers: Vec<Wrapper>,
    pub(crate) lines: Vec<Vec<u8>>,
    /// The number of lines with and without it.
    pub(crate) count: usize,
}

/// Walks through the chains of wrappers around the first lines of an input, shorter ones first.
pub(crate) struct Search<'a> {
    unwrap: &'a Unwrap,
    queue: VecDeque<Chain>,
    /// The array of a document.
    array: Option<Array>,
    /// The chains within its only element, which come after all others: each element is a record, also if there is one.
    later: Vec<Chain>,
    tried: usize,
}

impl<'a> Search<'a> {
    /// Those around `lines`, which are the first ones of an input that begins with `first`.
    pub(crate) fn new(first: &[u8], lines: &[Vec<u8>], unwrap: &'a Unwrap) -> Search<'a> {
        let found = if unwrap.depth() > 0 { array::find(first) } else { None };
        let array = found.as_ref().map(|(array, _)| *array);
        let mut search = Search { unwrap, queue: VecDeque::new(), array, later: Vec::new(), tried: 0 };
        if unwrap.depth() > 0 {
            search.expand(&Chain { wrappers: Vec::new(), lines: lines.to_vec(), count: lines.len() });
            let name = unwrap.name(0);
            let is_wanted = |array: Array| name.is_none_or(|name| name == array.name);
            if let Some((array, lines)) = found.filter(|(array, _)| is_wanted(*array)) {
                let count = lines.len();
                search.queue.push_back(Chain { wrappers: vec![Wrapper::Array(array)], lines, count });
            }
            for (column, lines) in column::find(first) {
                let is_named =
                    |name: &str| name == column.name || column.name.split(':').next() == Some(name);
                if name.is_none_or(is_named) {
                    let count = lines.len();
                    search.queue.push_back(Chain { wrappers: vec![Wrapper::Column(column)], lines, count });
                }
            }
        }
        search
    }

    /// Only those whose outermost wrapper is the field with this name: a column, or the path of a member.
    pub(crate) fn within(mut self, field: &str) -> Search<'a> {
        self.queue.extend(self.later.drain(..));
        self.queue.retain(|chain| match chain.wrappers.first() {
            Some(Wrapper::Column(column)) => column.is_called(field),
            Some(Wrapper::Member(member)) => member.is_at(&path::parts(field)),
            _ => false,
        });
        self
    }

    /// Whether a member of the documents is an array that may have the records.
    pub(crate) fn has_array_of_member(&self) -> bool {
        self.array.is_some_and(|array| !array.path.is_empty())
    }

    /// Without the chains whose outermost wrapper is an array.
    pub(crate) fn without_arrays(mut self) -> Search<'a> {
        self.queue.retain(|chain| !matches!(chain.wrappers.first(), Some(Wrapper::Array(_))));
        self
    }

    /// Adds the chains that have one wrapper more.
    fn expand(&mut self, chain: &Chain) {
        let depth = chain.wrappers.len();
        if depth >= self.unwrap.depth() {
            return;
        }
        let name = self.unwrap.name(depth);
        let is_named = |own: &str| name.is_none_or(|name| name == own);
        for row in ROWS.iter().filter(|row| is_named(row.name)) {
            let wrapper = Wrapper::Text(row);
            self.push(chain, &wrapper, |(_, line)| wrapper.take_off(line));
        }
        let is_object = |line: &&Vec<u8>| line.starts_with(b"{");
        let object = chain.lines.iter().filter(is_object).find_map(|line| serde_json::from_slice(line).ok());
        let Some(object) = object else { return };
        // There may be many members.
        let objects: Vec<_> = chain.lines.iter().map(|line| member::members(line)).collect();
        for path in member::texts(&object) {
            let mut member = Member::new(&member::written(&path));
            let has = |names: &[&str]| names.iter().any(|name| object.get(name).is_some());
            for (known, beside) in [(Member::docker(), DOCKER), (Member::journald(), JOURNALD)] {
                if known.is_at(&path) && has(beside) {
                    member = known;
                }
            }
            let is_wanted = is_named(&member.name)
                || name == Some("json")
                || name == Some(&*format!("json:{}", member::written(&path)));
            // Further elements would be lines, too.
            let is_element = path.iter().any(|name| name.parse::<usize>().is_ok());
            let has_text = |(members, line): (&Option<Vec<_>>, &Vec<u8>)| {
                members.as_ref().is_none_or(|members| member.text(line, members).is_some())
            };
            if is_wanted && (!is_element || objects.iter().zip(&chain.lines).all(has_text)) {
                self.push(chain, &Wrapper::Member(member.clone()), |(at, line)| {
                    trimmed(member.text(line, objects[at].as_ref()?)?)
                });
            }
        }
    }

    /// Adds a chain with a further wrapper, if most of the first lines have it; `inner` gives the line in a line.
    fn push(
        &mut self,
        chain: &Chain,
        wrapper: &Wrapper,
        inner: impl Fn((usize, &Vec<u8>)) -> Option<Vec<u8>>,
    ) {
        let most_without = chain.lines.len().saturating_sub(chain.count.div_ceil(2).max(1));
        let (mut lines, mut without) = (Vec::new(), 0);
        for line in chain.lines.iter().enumerate() {
            match inner(line) {
                Some(line) => lines.push(line),
                None => without += 1,
            }
            if without > most_without {
                return;
            }
        }
        if !lines.is_empty() && 2 * lines.len() >= chain.count {
            let wrappers = chain.wrappers.iter().chain([wrapper]).cloned().collect();
            let own = Chain { wrappers, lines, count: chain.count };
            match (&own.wrappers[..], &self.array) {
                ([Wrapper::Member(member)], Some(array)) if member.is_in(array) => self.later.push(own),
                _ => self.queue.push_back(own),
            }
        }
    }
}

impl Iterator for Search<'_> {
    type Item = Chain;

    fn next(&mut self) -> Option<Chain> {
        loop {
            let chain = self.queue.pop_front().or_else(|| self.later.pop()).filter(|_| self.tried < MOST)?;
            self.tried += 1;
            self.expand(&chain);
            if self.unwrap.is_deep_enough(chain.wrappers.len()) {
                return Some(chain);
            }
        }
    }
}
