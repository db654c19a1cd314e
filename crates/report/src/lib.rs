//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Reports: the figures of a log, its faults, and their times, in bounded memory. Runs the pipeline as the tables do,
//! and counts its batches; the result is a state, which can be stored and added to others.
//!
//! ```text
//! batches ──> counts of one batch ──> state ──> page, JSON
//!             (partial, rows)         │  ^
//!                                     v  │ merge
//!                                     file
//! ```
//!
//! The state takes the counts of batches in the order of the input, so it is the same with any number of threads.

mod accounts;
mod advice;
mod agents;
mod counter;
mod counting;
mod crawl;
mod fields;
mod figure;
mod histogram;
mod hosts;
mod json;
mod moments;
mod origin;
mod page;
mod partial;
mod rows;
mod series;
mod state_file;
mod templates;
mod top;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_columns::batch::Example as TallyExample;
use urimill_columns::templates::Widths;
use urimill_pipeline::Totals;
use urimill_read::Damage;
use urimill_uri::passwords::{masked, masked_authority, masked_segments};

pub use accounts::Accounts;
pub use counter::{Distinct, Item, LONGEST};
pub use counting::{Making, Twice, run};
pub use crawl::{Circle, Circles, Parameter, Parameters, SameContent, shell_word};
pub use fields::fields;
pub use figure::{Figure, Part, Unit};
pub use hosts::HostFetches;
pub use origin::Conflict;
pub use page::MOST_BYTES as MOST_PAGE_BYTES;
pub use top::{By, Condition, Counted, top};

use counter::Counter;
use crawl::{Crawl, Limits};
use histogram::Histogram;
use hosts::Hosts;
use origin::Origin;
use partial::{EXAMPLES, Example, Partial};
use series::Series;

/// The most names of inputs, and damages, that a state holds; and of formats, codes, and values of options.
const MOST_NAMES: usize = 100;
const MOST_KINDS: usize = 200;

/// The most bytes of a name, a sentence, or the value of an option.
const MOST_OF_NAME: usize = 1 << 16;

/// The most records that a state counts, so that the sums of many states fit into a number, too.
const MOST_RECORDS: u64 = u64::MAX >> 16;

/// Records with one code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rejected {
    records: u64,
    /// The first by the names of their sources.
    examples: BTreeSet<Example>,
}

/// The figures of a report: sums and sketches, of a size that does not grow with the input.
///
/// States of the same kind of input add up with [`merge`](State::merge), in any order: sums are the same, and sketches
/// within their bounds.
#[derive(Debug, Clone)]
pub struct State {
    accounts: Accounts,
    /// The formats of the inputs.
    formats: BTreeSet<String>,
    inputs: BTreeSet<String>,
    input_count: u64,
    origin: Origin,
    codes: BTreeMap<String, Rejected>,
    /// Source, sentence and records before it.
    damages: BTreeSet<(String, String, u64)>,
    damage_count: u64,
    figures: Vec<Counter>,
    sizes: Histogram,
    times: Histogram,
    series: Series,
    /// Samples of records of a crawl, for facts about all of them together.
    crawl: Crawl,
    /// The times of fetches by host.
    hosts: Hosts,
    /// Templates learned in this run; not part of a stored state.
    widths: Widths,
}

impl State {
    /// An empty state.
    ///
    /// None in practice: a sketch of an invalid size.
    pub fn new() -> Result<State> {
        Ok(State {
            accounts: Accounts::default(),
            formats: BTreeSet::new(),
            inputs: BTreeSet::new(),
            input_count: 0,
            origin: Origin::default(),
            codes: BTreeMap::new(),
            damages: BTreeSet::new(),
            damage_count: 0,
            figures: Figure::ALL.iter().map(|figure| Counter::new(figure.size())).collect::<Result<_>>()?,
            sizes: Histogram::default(),
            times: Histogram::default(),
            series: Series::default(),
            crawl: Crawl::below(Limits::default()),
            hosts: Hosts::default(),
            widths: Widths::default(),
        })
    }

    /// The reason why another state is not to be added: it holds an input that this one holds, or was made with other
    /// options.
    pub fn conflict(&self, other: &State) -> Option<Conflict> {
        self.origin.conflict(&other.origin)
    }

    /// Adds another state, unless there is a [`conflict`](Self::conflict).
    ///
    /// Usage, if there is one; data, if sums exceed the limits of a state.
    pub fn merge(&mut self, other: &State) -> Result<()> {
        match self.conflict(other) {
            None => self.merge_all_the_same(other),
            Some(conflict) => Err(conflict.error("a state", "another")),
        }
    }

    /// Adds another state in any case: inputs that are in both count twice.
    ///
    /// # Errors
    /// Data, if sums exceed the limits of a state. This state must not be used then.
    pub fn merge_all_the_same(&mut self, other: &State) -> Result<()> {
        self.absorb(other.clone())
    }

    /// The same for a state that is not needed any more: its parts are freed as they are added.
    pub fn absorb(&mut self, mut other: State) -> Result<()> {
        for (own, other) in self.figures.iter_mut().zip(mem::take(&mut other.figures)) {
            own.merge(other)?;
        }
        self.accounts.add(&other.accounts);
        self.formats.extend(other.formats.iter().cloned());
        self.inputs.extend(other.inputs.iter().cloned());
        shorten(&mut self.inputs, MOST_NAMES);
        self.input_count = self.input_count.saturating_add(other.input_count);
        self.origin.merge(&other.origin);
        for (code, rejected) in &other.codes {
            let own = self.codes.entry(code.clone()).or_default();
            own.records = own.records.saturating_add(rejected.records);
            own.examples.extend(rejected.examples.iter().cloned());
            shorten(&mut own.examples, EXAMPLES);
        }
        self.damages.extend(other.damages.iter().cloned());
        shorten(&mut self.damages, MOST_NAMES);
        self.damage_count = self.damage_count.saturating_add(other.damage_count);
        self.sizes.merge(&other.sizes);
        self.times.merge(&other.times);
        self.series.merge(&other.series);
        self.crawl.merge(other.crawl);
        self.hosts.merge(other.hosts);
        match self.fits() {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Data,
                "the sums of these states exceed what a state can hold: add up fewer of them",
            )),
        }
    }

    /// Whether this state can be stored and read back.
    fn fits(&self) -> bool {
        let Origin { inputs, options } = &self.origin;
        let values = options.iter().flatten().map(|(_, values)| 1 + values.len()).sum();
        let kinds: [usize; 3] = [self.formats.len(), self.codes.len(), values];
        let codes = self.codes.values().map(|rejected| rejected.records);
        // Bytes stop at the greatest number.
        let accounts = self.accounts.all().into_iter().filter(|(name, _)| *name != "bytes");
        let mut records =
            accounts.map(|(_, count)| count).chain(codes).chain([self.input_count, self.damage_count]);
        records.all(|count| count <= MOST_RECORDS)
            && kinds.into_iter().all(|count| count <= MOST_KINDS)
            && self.inputs.len().max(self.damages.len()) <= MOST_NAMES
            && self.codes.values().all(|rejected| rejected.examples.len() <= EXAMPLES)
            && inputs.len() <= origin::MOST_INPUTS
            && self.series.fits()
            && self.sizes.fits()
            && self.times.fits()
    }

    /// Counts of records.
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// Codes of rejects, with the number of records that have them.
    pub fn codes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.codes.iter().map(|(code, rejected)| (code.as_str(), rejected.records))
    }

    /// The formats of the inputs.
    pub fn formats(&self) -> impl Iterator<Item = &str> {
        self.formats.iter().map(String::as_str)
    }

    /// The number of inputs.
    pub fn inputs(&self) -> u64 {
        self.input_count
    }

    /// The number of inputs that were truncated or damaged.
    pub fn damaged(&self) -> u64 {
        self.damage_count
    }

    /// The texts of a figure with the greatest sums.
    pub fn top(&self, figure: Figure, most: usize) -> Vec<Item> {
        templates::top(figure, &self.figures[figure as usize], most)
    }

    /// The sum of all texts of a figure; it is exact.
    pub fn total(&self, figure: Figure) -> u64 {
        self.figures[figure as usize].total()
    }

    /// The most by which a sum of a figure can be off: 0 while it is exact.
    pub fn error(&self, figure: Figure) -> u64 {
        self.figures[figure as usize].error()
    }

    /// The number of distinct texts of a figure.
    pub fn distinct(&self, figure: Figure) -> Distinct {
        templates::distinct(figure, &self.figures[figure as usize])
    }

    /// The first and the last time, as text in UTC.
    pub fn times(&self) -> Option<(String, String)> {
        self.series.ends.map(|(first, last)| (series::moment(first), series::moment(last)))
    }

    /// Parameters in which URIs differ, and whether they change the content, by digests.
    pub fn parameters(&self) -> Parameters {
        self.crawl.parameters()
    }

    /// The contents that many URIs of one host have, by their digests.
    pub fn same_contents(&self) -> Vec<SameContent> {
        self.crawl.same_contents().0
    }

    /// Redirects that lead back to where they began.
    pub fn circles(&self) -> Circles {
        self.crawl.circles()
    }

    /// The hosts of a crawl with the most records that have a time, at most `most`.
    pub fn hosts(&self, most: usize) -> Vec<HostFetches> {
        self.hosts.top(most)
    }

    /// Takes the counts of a batch; returns its memory for reuse.
    fn take(&mut self, mut partial: Partial) -> Partial {
        partial
            .each(|figure, texts| add(figure, &mut self.figures[figure as usize], texts, &mut self.widths));
        self.sizes.merge(&partial.sizes);
        self.times.merge(&partial.times);
        partial.minutes.iter().for_each(|(minute, counts)| self.series.add(*minute, counts));
        if let Some(ends) = partial.ends {
            self.series.reach(ends);
        }
        for (code, examples) in mem::take(&mut partial.examples) {
            let own = &mut self.codes.entry(code).or_default().examples;
            own.extend(examples);
            shorten(own, EXAMPLES);
        }
        partial
    }

    /// Takes the data that is known at the end of a run.
    fn close(&mut self, totals: &Totals, names: &[String], formats: BTreeSet<String>, damages: &[Damage]) {
        let tally = &totals.tally;
        self.accounts = Accounts {
            records: tally.rows,
            valid: tally.rows - tally.rejects() - tally.nulls,
            rejects: tally.rejects(),
            nulls: tally.nulls,
            blank: tally.blank,
            headers: totals.headers,
            changed: tally.changed,
            repaired: tally.repaired,
            not_utf8: tally.not_utf8,
            cut: totals.cut,
            bytes: totals.bytes,
        };
        for (code, records, example) in tally.by_code() {
            let own = self.codes.entry(code.as_str().to_owned()).or_default();
            own.records = records;
            // Rows that no column shows, such as records that are too long.
            if let (true, Some(example)) = (own.examples.is_empty(), example) {
                let TallyExample { record, offset, text, source, .. } = example;
                let source = name_of(source.as_deref().unwrap_or_default()).to_owned();
                own.examples.insert(Example {
                    source,
                    record: *record,
                    offset: *offset as u64,
                    text: text.clone(),
                });
            }
        }
        self.formats.extend(formats);
        self.inputs.extend(names.iter().map(|name| name_of(name).to_owned()));
        shorten(&mut self.inputs, MOST_NAMES);
        self.input_count = names.len() as u64;
        self.damage_count = damages.len() as u64;
        self.damages.extend(damages.iter().map(|damage| {
            let [source, sentence] = [&damage.source, &damage.sentence].map(|text| name_of(text).to_owned());
            (source, sentence, damage.records)
        }));
        shorten(&mut self.damages, MOST_NAMES);
    }
}

/// Adds the texts of a batch.
fn add<'a>(
    figure: Figure,
    counter: &mut Counter,
    texts: impl Iterator<Item = (&'a str, u64)>,
    widths: &mut Widths,
) {
    use Figure::{FailedPath, FirstSegment, Path, PathBytes, PathTime};
    let is_path = matches!(figure, FailedPath | FirstSegment | Path | PathBytes | PathTime);
    for (text, sum) in texts.filter(|(_, sum)| *sum > 0) {
        let text = if figure == Figure::Template { widths.narrowed(text) } else { text };
        counter.add(&shown(text, is_path), sum);
    }
}

/// Agents, referrers and paths may hold whole URIs; a state must not hold their passwords. By the URL Standard a path
/// may begin with one: that of `http:/joe:pw@h/`, which is `/joe:pw@h/` by the RFC.
fn shown(text: &str, is_path: bool) -> Cow<'_, str> {
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return masked(text);
    }
    if is_path {
        return masked_segments(text).into();
    }
    let text = masked(text);
    let Some(authority) = text.find("://").map(|at| at + 3) else { return text };
    let Some(slash) = text[authority..].find('/').map(|at| authority + at) else { return text };
    let segment = text[slash + 1..].split('/').next().unwrap_or_default();
    match masked_authority(segment) {
        Cow::Owned(shown) => {
            let behind = &text[slash + 1 + segment.len()..];
            Cow::Owned([&text[..=slash], &shown, behind].concat())
        }
        Cow::Borrowed(_) => text,
    }
}

/// The beginning of a name or a sentence, up to the limit of a state.
fn name_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_OF_NAME)]
}

fn shorten<T: Ord>(set: &mut BTreeSet<T>, most: usize) {
    while set.len() > most {
        set.pop_last();
    }
}

fn shorten_map<K: Ord, T>(map: &mut BTreeMap<K, T>, most: usize) {
    while map.len() > most {
        map.pop_last();
    }
}
