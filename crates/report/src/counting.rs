//! The run: workers count the batches of a pipeline, and the state takes the counts in order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use twox_hash::XxHash3_64;
use urimill_base::error::Result;
use urimill_base::free_list::FreeList;
use urimill_base::locks::{into_inner, lock};
use urimill_base::option_name::OptionName;
use urimill_base::threads::Workers;
use urimill_columns::batch;
use urimill_columns::batch::{Column, MAX_ROWS};
use urimill_pipeline::{Ahead, FormatCheck, Look, Looked, Plan, Progress, each_batch};
use urimill_read::{Chunk, Damage, Format, InputDigests, RecordSource, Source};

use super::agents::Agents;
use super::crawl::{Crawl, Limits};
use super::hosts::Hosts;
use super::origin::Origin;
use super::partial::Partial;
use super::{State, fields, name_of, origin, rows, shown};

/// The most counts of batches whose memory waits for its next use, and the most bytes that each may have: larger ones,
/// of hostile inputs, go back to the system.
const USED: usize = 4;
const LARGEST_USED: usize = 8 << 20;

/// The settings of a report, besides how its records are read.
#[derive(Debug, Clone, Default)]
pub struct Making {
    /// The names of the sources in the report.
    pub names: Vec<String>,
    /// The options that decide the meaning of figures, which a state stores.
    pub options: Vec<(OptionName, String)>,
    /// The digest of each text source.
    pub digests: InputDigests,
}

/// Inputs with the same content, which count twice: the names of both.
pub type Twice = Vec<[String; 2]>;

/// Reads every record of `record_source` and counts. `damages` lists damage when everything is read.
///
/// # Errors
/// The first that occurs.
pub fn run(
    record_source: RecordSource,
    records: batch::Options,
    making: &Making,
    threads: &Workers,
    damages: impl FnOnce() -> Vec<Damage>,
    progress: &Progress,
) -> Result<(State, Twice)> {
    let columns = rows::columns();
    let extra = record_source.extra_columns();
    let records = batch::Options { columns, extra, batch_rows: MAX_ROWS, ..records };
    let format = record_source.format().name();
    let is_table = record_source.format().table().is_some();
    let are_files: Vec<bool> =
        record_source.sources().iter().map(|source| !matches!(source, Source::Table(_))).collect();
    let plan = Plan::new(&record_source, records, false)?.check_format(FormatCheck::ByRecords);
    let names: Vec<String> = making.names.iter().map(|name| name_of(name).to_owned()).collect();
    let names = names.as_slice();
    let counting = Counting {
        names,
        is_table,
        read: Mutex::default(),
        formats: Mutex::default(),
        state: Mutex::new(State::new()?),
        limits: Mutex::default(),
        agents: Agents::default(),
        used: FreeList::new(USED),
    };
    let totals = each_batch(record_source, &plan, threads, &counting, progress)?;
    let mut state = into_inner(counting.state);
    let mut formats = into_inner(counting.formats);
    if formats.is_empty() {
        // Tables and inputs without a byte have no chunks.
        formats.insert(format.to_owned());
    }
    state.close(&totals, names, formats, &damages());
    let read = into_inner(counting.read);
    state.origin = Origin::with_options(
        making
            .options
            .iter()
            .map(|(option, value)| (option.as_str().to_owned(), name_of(&shown(value, false)).to_owned())),
    );
    let mut twice = Twice::new();
    // An input without a record cannot count twice, though it may have a header.
    for (&at, &(rows, checksum)) in read.iter().filter(|(_, (rows, _))| *rows > 0) {
        let name = &names[at];
        let (size, checksum) = match making.digests.of(at) {
            Some(digest) if !is_table => digest,
            // Tables in memory, and parts of a frame, may well be equal: their names count, too.
            _ if are_files[at] => (rows, checksum),
            _ => (rows, checksum.wrapping_add(hash_of(name))),
        };
        if let Some(same) = state.origin.add(name, size, checksum) {
            twice.push([same.into(), name.clone()]);
        }
    }
    Ok((state, twice))
}

fn hash_of(text: &str) -> u64 {
    XxHash3_64::oneshot(text.as_bytes())
}

/// The rows of each source, and for a table a checksum of their values.
type Read = BTreeMap<usize, (u64, u64)>;

/// Counts batches.
struct Counting<'a> {
    names: &'a [String],
    is_table: bool,
    read: Mutex<Read>,
    /// The formats of the chunks: if the format is detected, each input has its own.
    formats: Mutex<BTreeSet<String>>,
    state: Mutex<State>,
    /// The limits of the samples when the state took the last batch: workers skip entries beyond them.
    limits: Mutex<Limits>,
    agents: Agents,
    /// Counts that the state has taken.
    used: FreeList<Partial>,
}

impl Look for Counting<'_> {
    type Seen = (Partial, Crawl, Hosts);

    fn chunk(&self, _: &Chunk, format: &Format, _: &mut Ahead<'_, Self::Seen>) -> Option<(Self::Seen, u64)> {
        let mut formats = lock(&self.formats);
        if !formats.contains(format.name()) {
            formats.insert(format.name().to_owned());
        }
        None
    }

    fn batch(&self, looked: &Looked<'_>) -> Result<(Partial, Crawl, Hosts)> {
        let mut partial = self.used.take().map_or_else(Partial::new, Partial::cleared);
        rows::count(looked.batch, &self.names[looked.source], &mut partial);
        self.agents.count(&mut partial);
        let uris = fields::texts(looked.batch, &[Column::Uri.as_str()]).filter(|_| self.is_table);
        let number = uris.map_or(0, |uris| origin::of_rows(uris.iter(), &partial));
        let mut read = lock(&self.read);
        let source = read.entry(looked.source).or_default();
        source.0 += looked.batch.num_rows() as u64;
        source.1 = source.1.wrapping_add(number);
        drop(read);
        let limits = *lock(&self.limits);
        let mut crawl = Crawl::below(limits);
        crawl.count(looked.batch);
        Ok((partial, crawl, Hosts::of(looked.batch)))
    }

    fn then(&self, (partial, crawl, hosts): (Partial, Crawl, Hosts)) -> Result<()> {
        let mut state = lock(&self.state);
        let used = state.take(partial);
        state.crawl.merge(crawl);
        state.hosts.merge(hosts);
        *lock(&self.limits) = state.crawl.limits();
        drop(state);
        if used.size() <= LARGEST_USED {
            self.used.give(used);
        }
        Ok(())
    }
}
