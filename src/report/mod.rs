//! A log at a glance: what is in it, what is wrong with it, and when it happened, in bounded memory. Runs the pipeline
//! as the tables do, and counts its batches; the result is a state, which can be stored and added to others.
//!
//! ```text
//! batches ──> counts of one batch ──> state ──> page, JSON
//!             (partial, rows)         │  ^
//!                                     v  │ merge
//!                                     file
//! ```
//!
//! The state takes the counts of batches in the order of the input, so it is the same with any number of threads.

mod agents;
mod counter;
mod crawl;
mod fields;
mod figure;
mod histogram;
mod hosts;
mod json;
mod mend;
mod moments;
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
use std::sync::{Mutex, PoisonError};

pub use counter::{Distinct, Item, LONGEST};
pub use crawl::{Circle, Circles, Parameter, Parameters, SameContent, shell_word};
pub use fields::fields;
pub use figure::{Figure, Part, Unit};
pub use hosts::HostFetches;
pub use page::MOST_BYTES as MOST_PAGE_BYTES;
pub use top::{By, Condition, Counted, top};

use crate::batch::{self, Example as TallyExample, MAX_ROWS};
use crate::error::Result;
use crate::free_list::FreeList;
use crate::passwords::masked;
use crate::pipeline::{Ahead, FormatCheck, Look, Looked, Plan, Progress, Totals, each_batch};
use crate::read::{Chunk, Damage, Format, RecordSource};
use crate::templates::Widths;
use agents::Agents;
use counter::Counter;
use crawl::{Crawl, Limits};
use histogram::Histogram;
use hosts::Hosts;
use partial::{EXAMPLES, Example, Partial};
use series::Series;

/// Names of inputs, and damages, that a state holds at most.
const MOST_NAMES: usize = 100;

/// Counts of batches whose memory waits for its next use, at most, and how many bytes each may have: those of hostile
/// inputs have more, and go back to the system.
const USED: usize = 4;
const LARGEST_USED: usize = 8 << 20;

/// Counts of records, in the order in which a state has them. They add up: `records = valid + rejects + nulls`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accounts {
    /// Records read.
    pub records: u64,
    /// Records that are URI references.
    pub valid: u64,
    /// Records that are not.
    pub rejects: u64,
    /// Records without a URI.
    pub nulls: u64,
    /// Blank lines and comments, which are not records.
    pub blank: u64,
    /// Headers, which are not records.
    pub headers: u64,
    /// Records whose text was changed by resolution and normalization.
    pub changed: u64,
    /// Those of them that were repaired.
    pub repaired: u64,
    /// Records that are not UTF-8.
    pub not_utf8: u64,
    /// Records of which only the beginning was read, because they are too long.
    pub cut: u64,
    /// Bytes read, decompressed.
    pub bytes: u64,
}

impl Accounts {
    /// Names and values.
    pub fn all(&self) -> [(&'static str, u64); 11] {
        let Accounts {
            records,
            valid,
            rejects,
            nulls,
            blank,
            headers,
            changed,
            repaired,
            not_utf8,
            cut,
            bytes,
        } = *self;
        [
            ("records", records),
            ("valid", valid),
            ("rejects", rejects),
            ("nulls", nulls),
            ("blank", blank),
            ("headers", headers),
            ("changed", changed),
            ("repaired", repaired),
            ("not_utf8", not_utf8),
            ("cut", cut),
            ("bytes", bytes),
        ]
    }

    fn from_values(values: [u64; 11]) -> Accounts {
        let [records, valid, rejects, nulls, blank, headers, changed, repaired, not_utf8, cut, bytes] =
            values;
        Accounts { records, valid, rejects, nulls, blank, headers, changed, repaired, not_utf8, cut, bytes }
    }

    fn add(&mut self, other: &Accounts) {
        let (own, other) = (self.all(), other.all());
        *self = Accounts::from_values(std::array::from_fn(|at| own[at].1.saturating_add(other[at].1)));
    }
}

/// Records with one code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rejected {
    records: u64,
    /// The first by the names of their sources.
    examples: BTreeSet<Example>,
}

/// What a report knows: sums and sketches, of a size that does not grow with the input.
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
    codes: BTreeMap<String, Rejected>,
    /// Source, sentence and records before it.
    damages: BTreeSet<(String, String, u64)>,
    damage_count: u64,
    figures: Vec<Counter>,
    sizes: Histogram,
    times: Histogram,
    series: Series,
    /// Samples of what records of a crawl tell together.
    crawl: Crawl,
    /// When a crawl fetched from which hosts.
    hosts: Hosts,
    /// What this run has learnt of templates; no part of a stored state.
    widths: Widths,
}

impl State {
    /// The state of nothing.
    ///
    /// # Errors
    /// None that can be expected: a sketch of a size that it cannot have.
    pub fn new() -> Result<State> {
        Ok(State {
            accounts: Accounts::default(),
            formats: BTreeSet::new(),
            inputs: BTreeSet::new(),
            input_count: 0,
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

    /// Adds another state.
    ///
    /// # Errors
    /// Data, where sums exceed what a number can hold.
    pub fn merge(&mut self, other: &State) -> Result<()> {
        for (own, other) in self.figures.iter_mut().zip(&other.figures) {
            own.merge(other)?;
        }
        self.accounts.add(&other.accounts);
        self.formats.extend(other.formats.iter().cloned());
        self.inputs.extend(other.inputs.iter().cloned());
        shorten(&mut self.inputs, MOST_NAMES);
        self.input_count += other.input_count;
        for (code, rejected) in &other.codes {
            let own = self.codes.entry(code.clone()).or_default();
            own.records += rejected.records;
            own.examples.extend(rejected.examples.iter().cloned());
            shorten(&mut own.examples, EXAMPLES);
        }
        self.damages.extend(other.damages.iter().cloned());
        shorten(&mut self.damages, MOST_NAMES);
        self.damage_count += other.damage_count;
        self.sizes.merge(&other.sizes);
        self.times.merge(&other.times);
        self.series.merge(&other.series);
        self.crawl.merge(other.crawl.clone());
        self.hosts.merge(other.hosts.clone());
        Ok(())
    }

    /// Counts of records.
    pub fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// Codes of rejects, with how many records have them.
    pub fn codes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.codes.iter().map(|(code, rejected)| (code.as_str(), rejected.records))
    }

    /// The formats that were read.
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

    /// How far a sum of a figure can be off: 0 while it is exact.
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

    /// What pairs of URIs that differ in one parameter tell of it, by their digests.
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

    /// The hosts of a crawl with the most records that have a time, at most so many.
    pub fn hosts(&self, most: usize) -> Vec<HostFetches> {
        self.hosts.top(most)
    }

    /// Takes the counts of a batch; answers what is left of them.
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

    /// Takes what is known at the end of a run.
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
            // Rows of which no column tells, such as records that are too long.
            if let (true, Some(example)) = (own.examples.is_empty(), example) {
                let TallyExample { record, offset, text, source, .. } = example;
                let source = source.as_deref().unwrap_or_default().to_owned();
                own.examples.insert(Example {
                    source,
                    record: *record,
                    offset: *offset as u64,
                    text: text.clone(),
                });
            }
        }
        self.formats.extend(formats);
        self.inputs.extend(names.iter().cloned());
        shorten(&mut self.inputs, MOST_NAMES);
        self.input_count = names.len() as u64;
        self.damage_count = damages.len() as u64;
        self.damages.extend(
            damages.iter().map(|damage| (damage.source.clone(), damage.sentence.clone(), damage.records)),
        );
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
    for (text, sum) in texts.filter(|(_, sum)| *sum > 0) {
        let text = if figure == Figure::Template { widths.narrowed(text) } else { text };
        counter.add(&shown(text), sum);
    }
}

/// Agents, referrers and paths may hold whole URIs; no state holds their passwords.
fn shown(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'@', text.as_bytes()).is_some() {
        true => masked(text),
        false => text.into(),
    }
}

fn shorten<T: Ord>(set: &mut BTreeSet<T>, most: usize) {
    while set.len() > most {
        set.pop_last();
    }
}

/// Reads every record of `record_source` and counts. `names` are those of its sources; `damages` lists what was damaged,
/// when all is read.
///
/// # Errors
/// The first that occurs.
pub fn run(
    record_source: RecordSource,
    records: batch::Options,
    names: &[String],
    threads: usize,
    damages: impl FnOnce() -> Vec<Damage>,
    progress: &Progress,
) -> Result<State> {
    let columns = rows::columns();
    let extra = record_source.extra_columns();
    let records = batch::Options { columns, extra, batch_rows: MAX_ROWS, ..records };
    let format = record_source.format().name();
    let is_table = record_source.is_table();
    let plan = if is_table { Plan::of_tables(records, false)? } else { Plan::new(records, false) };
    let plan = plan.check_format(FormatCheck::ByForm);
    let counting = Counting {
        names,
        formats: Mutex::default(),
        state: Mutex::new(State::new()?),
        limits: Mutex::default(),
        agents: Agents::default(),
        used: FreeList::new(USED),
    };
    let totals = each_batch(record_source, &plan, threads, &counting, progress)?;
    let mut state = counting.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut formats = counting.formats.into_inner().unwrap_or_else(PoisonError::into_inner);
    if formats.is_empty() {
        // Of tables, and of inputs without a byte.
        formats.insert(format.to_owned());
    }
    state.close(&totals, names, formats, &damages());
    Ok(state)
}

/// Counts batches.
struct Counting<'a> {
    names: &'a [String],
    /// The formats of the chunks: where the format is detected, each input has its own.
    formats: Mutex<BTreeSet<String>>,
    state: Mutex<State>,
    /// What the samples of the state refused when it took the last batch: workers need not look at it.
    limits: Mutex<Limits>,
    agents: Agents,
    /// Counts that the state has taken.
    used: FreeList<Partial>,
}

impl Look for Counting<'_> {
    type Seen = (Partial, Crawl, Hosts);

    fn chunk(&self, _: &Chunk, format: &Format, _: &mut Ahead<'_, Self::Seen>) -> Option<(Self::Seen, u64)> {
        let mut formats = self.formats.lock().unwrap_or_else(PoisonError::into_inner);
        if !formats.contains(format.name()) {
            formats.insert(format.name().to_owned());
        }
        None
    }

    fn batch(&self, looked: &Looked<'_>) -> Result<(Partial, Crawl, Hosts)> {
        let mut partial = self.used.take().map_or_else(Partial::new, Partial::cleared);
        rows::count(looked.batch, &self.names[looked.source], &mut partial);
        self.agents.count(&mut partial);
        let limits = *self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let mut crawl = Crawl::below(limits);
        crawl.count(looked.batch);
        Ok((partial, crawl, Hosts::of(looked.batch)))
    }

    fn then(&self, (partial, crawl, hosts): (Partial, Crawl, Hosts)) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let used = state.take(partial);
        state.crawl.merge(crawl);
        state.hosts.merge(hosts);
        *self.limits.lock().unwrap_or_else(PoisonError::into_inner) = state.crawl.limits();
        drop(state);
        if used.size() <= LARGEST_USED {
            self.used.give(used);
        }
        Ok(())
    }
}
