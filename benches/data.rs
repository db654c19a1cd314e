//! The URIs of all benchmarks, in the forms that the measured functions take. Real ones if available, otherwise
//! generated. There are so many distinct ones, shuffled, that no branch predictor can memorize them: a thousand URIs
//! over and over look half again as fast.

// Every benchmark is a program of its own and uses a part of this.
#![allow(dead_code)]

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use arrow::buffer::Buffer;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use urimill::simd::PADDING;

// The generator is an example, a program of its own; a benchmark uses only its endless list.
#[allow(unused_imports)]
#[path = "../examples/generate/model/mod.rs"]
mod model;

/// A list with fewer distinct URIs than this is not measured.
const LEAST_DISTINCT: usize = 100_000;
/// The same for pairs of a base and a reference.
const LEAST_PAIRS: usize = 50_000;
/// The same for references alone, many of which occur on several pages.
const LEAST_REFERENCES: usize = 40_000;
/// The number of generated URIs.
const MADE_UP: usize = 200_000;
const SEED: u64 = 2024;
/// The bytes that the pipeline reads at once, by default.
const CHUNK: usize = 1 << 20;
/// In the dirty list, one line in this many is changed.
const DIRTY_ONE_OF: usize = 10;

/// A list of URIs.
pub(crate) struct Data {
    /// The list's name in reports.
    pub(crate) name: &'static str,
    /// Lines, each ended by a newline, none of them blank.
    pub(crate) text: String,
    count: usize,
}

/// Whole lines in a buffer as the pipeline's workers get them: [`PADDING`] bytes follow `len`.
pub(crate) struct Chunk {
    pub(crate) buffer: Buffer,
    pub(crate) len: usize,
}

impl Data {
    /// `te`: links of the 100 most visited sites and the seeds of a web archive's crawl, if the shared folder exists;
    /// else `model`: the same number of generated ones.
    pub(crate) fn clean() -> Data {
        match corpora() {
            Some(lines) => Data::new("te", lines, LEAST_DISTINCT),
            None => Data::new("model", made_up(), LEAST_DISTINCT),
        }
    }

    /// The same lines over and over.
    pub(crate) fn repeated(self, times: usize) -> Data {
        Data { text: self.text.repeat(times), count: self.count * times, ..self }
    }

    /// The same URIs, with a tenth of the lines changed so that they have to be normalized or rejected.
    pub(crate) fn dirty() -> Data {
        let clean = Data::clean();
        let name = if clean.name == "te" { "te-dirty" } else { "model-dirty" };
        let soiled = clean.lines().into_iter().enumerate();
        let lines = soiled.map(|(i, line)| match i % DIRTY_ONE_OF {
            0 => soil(line, i / DIRTY_ONE_OF),
            _ => line.to_owned(),
        });
        Data { name, text: lines.map(|line| line + "\n").collect(), count: clean.count }
    }

    /// The lists for kernels and batches: the clean and the dirty one; and, if the first is real, `refs`, the
    /// references of real pages, and `model`.
    pub(crate) fn ladder() -> Vec<Data> {
        let mut lists = vec![Data::clean(), Data::dirty()];
        if let Some(text) = shared("html_refs.tsv") {
            let references =
                text.lines().filter_map(|line| line.split_once('\t')).map(|(_, reference)| reference);
            let references = references.filter(|reference| !reference.is_empty()).map(str::to_owned);
            lists.push(Data::new("refs", references.collect(), LEAST_REFERENCES));
            lists.push(Data::new("model", made_up(), LEAST_DISTINCT));
        }
        lists
    }

    /// Every line changed like the tenth of the dirty list; those lines that are then valid and not in normal form.
    pub(crate) fn soiled() -> Data {
        let clean = Data::clean();
        let name = if clean.name == "te" { "te-soiled" } else { "model-soiled" };
        let soiled = clean.lines().into_iter().enumerate().map(|(i, line)| soil(line, i));
        let needs_work = |line: &String| {
            urimill::UriRef::parse(line)
                .is_ok_and(|uri| urimill::normalize(&uri, urimill::Level::Scheme) != *line)
        };
        Data::new(name, soiled.filter(needs_work).collect(), LEAST_DISTINCT)
    }

    /// The URIs of the clean list, each with a host outside ASCII.
    pub(crate) fn international() -> Data {
        const HOSTS: [&str; 24] = [
            "www.münchen.de",
            "café-de-flore.fr",
            "www.räksmörgås.se",
            "ærøskøbing.dk",
            "españa.es",
            "zażółć.pl",
            "příklad.cz",
            "www.İstanbul.tr",
            "www.παράδειγμα.ελ",
            "пример.рф",
            "новости.москва",
            "www.Приклад.укр",
            "օրինակ.հայ",
            "მაგალითი.გე",
            "דוגמה.ישראל",
            "مثال.السعودية",
            "उदाहरण.भारत",
            "உதாரணம்.இந்தியா",
            "ตัวอย่าง.ไทย",
            "例子.中国",
            "www.例え.jp",
            "ドメイン名例.みんな",
            "실례.한국",
            "faß.example",
        ];
        let clean = Data::clean();
        let name = if clean.name == "te" { "te-idn" } else { "model-idn" };
        let lines = clean.lines().into_iter().enumerate().filter_map(|(i, line)| {
            let path = line.split_once("://")?.1.split_once('/')?.1;
            Some(format!("https://{}/{path}", HOSTS[i % HOSTS.len()]))
        });
        Data::new(name, lines.collect(), LEAST_DISTINCT)
    }

    /// Lines of a base without fragment, a tab and a reference: `links`, from real pages, if the shared folder exists;
    /// else `model-links`, generated.
    pub(crate) fn links() -> Data {
        match shared("html_refs.tsv") {
            Some(text) => {
                let pairs = text.lines().filter_map(|line| line.split_once('\t'));
                let line = |(base, reference): (&str, &str)| {
                    format!("{}\t{reference}", base.split('#').next().unwrap_or(base))
                };
                Data::new("links", pairs.map(line).collect(), LEAST_PAIRS)
            }
            None => Data::new("model-links", made_up_links(), LEAST_PAIRS),
        }
    }

    /// The same in the order of the bases, as a crawler finds the links of one page after the other.
    pub(crate) fn links_by_page() -> Data {
        let mut data = Data::links();
        let mut lines: Vec<&str> = data.text.lines().collect();
        // A stable sort by the base alone: the references of a page stay shuffled.
        lines.sort_by_key(|line| line.split('\t').next());
        data.text = lines.into_iter().map(|line| format!("{line}\n")).collect();
        data.name = if data.name == "links" { "links-by-page" } else { "model-links-by-page" };
        data
    }

    fn new(name: &'static str, mut lines: Vec<String>, least: usize) -> Data {
        let distinct = lines.iter().collect::<HashSet<_>>().len();
        assert!(distinct >= least, "{name}: only {distinct} distinct lines");
        shuffle(&mut lines);
        let count = lines.len();
        Data { name, text: lines.into_iter().map(|line| line + "\n").collect(), count }
    }

    /// The URIs one by one.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    /// The text, cut at line ends as the pipeline's reader cuts it.
    pub(crate) fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut rest = self.text.as_bytes();
        while !rest.is_empty() {
            let full = &rest[..rest.len().min(CHUNK)];
            let len = memchr::memrchr(b'\n', full).map_or(full.len(), |at| at + 1);
            let mut padded = Vec::with_capacity(len + PADDING);
            padded.extend_from_slice(&rest[..len]);
            padded.push(b'\n');
            padded.resize(len + PADDING, 0);
            chunks.push(Chunk { buffer: Buffer::from_vec(padded), len });
            rest = &rest[len..];
        }
        chunks
    }

    /// A group of benchmarks, each of which goes once through all of the data. Throughput is in URIs and bytes, with
    /// newlines.
    pub(crate) fn group<'a>(&self, criterion: &'a mut Criterion, what: &str) -> BenchmarkGroup<'a, WallTime> {
        let mut group = criterion.benchmark_group(format!("{what}/{}", self.name));
        let (elements, bytes) = (self.count as u64, self.text.len() as u64);
        group.throughput(Throughput::ElementsAndBytes { elements, bytes });
        // One pass takes long enough to be timed; samples of rising length would take minutes.
        group.sampling_mode(SamplingMode::Flat);
        group
    }
}

/// The settings of all benchmarks, which together take about five minutes.
pub(crate) fn criterion() -> Criterion {
    let measure = Criterion::default().sample_size(20);
    let (warm_up, measured) = (Duration::from_secs(1), Duration::from_secs(2));
    measure.warm_up_time(warm_up).measurement_time(measured).configure_from_args()
}

/// A real list without carriage returns, if it is available.
fn shared(name: &str) -> Option<String> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("URIMILL_SHARED").map_or(beside, PathBuf::from).join("corpora");
    Some(fs::read_to_string(folder.join(name)).ok()?.replace('\r', ""))
}

fn corpora() -> Option<Vec<String>> {
    let mut lines = Vec::new();
    for name in ["top100.txt", "eot2024_seedlists.txt"] {
        let text = shared(name)?;
        lines.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    Some(lines)
}

fn made_up() -> Vec<String> {
    let mut model = model::Model::new(SEED, 1.0).expect("the share of dirt is the usual one");
    let mut seen = HashSet::new();
    let mut lines = Vec::with_capacity(MADE_UP);
    let mut line = Vec::new();
    while lines.len() < MADE_UP {
        line.clear();
        model.write_line(&mut line);
        // The other parsers accept only UTF-8.
        let text = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
        if seen.insert(text.clone()) {
            lines.push(text);
        }
    }
    lines
}

/// Makes a base from one generated URI, and a reference from a part of the next one: in turn all of it, everything
/// after its host, and its path relative to another folder.
fn made_up_links() -> Vec<String> {
    let lines: Vec<String> = made_up().into_iter().filter(|line| line.contains("://")).collect();
    let pairs = lines.iter().zip(lines.iter().skip(1)).enumerate();
    let line = |(i, (base, next)): (usize, (&String, &String))| {
        let base = base.split('#').next().unwrap_or(base);
        let tail = next.splitn(4, '/').nth(3).unwrap_or_default();
        match i % 3 {
            0 => format!("{base}\t{next}"),
            1 => format!("{base}\t/{tail}"),
            _ => format!("{base}\t../{tail}"),
        }
    };
    pairs.map(line).collect()
}

/// Fisher and Yates, driven by SplitMix64: the same order on every machine.
fn shuffle(lines: &mut [String]) {
    let mut state = SEED;
    for i in (1..lines.len()).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        lines.swap(i, ((z ^ (z >> 31)) % (i as u64 + 1)) as usize);
    }
}

/// A line that has to be normalized, or (one kind of seven) rejected.
fn soil(line: &str, kind: usize) -> String {
    let Some((scheme, rest)) = line.split_once("://") else { return format!("{line}/%7Euser") };
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(authority_end);
    match kind % 7 {
        0 => format!("{}://{rest}", scheme.to_ascii_uppercase()),
        1 => format!("{scheme}://{}{tail}", authority.to_ascii_uppercase()),
        2 if !authority.contains(':') => {
            let port = if scheme == "https" { 443 } else { 80 };
            format!("{scheme}://{authority}:{port}{tail}")
        }
        3 => format!("{scheme}://{authority}/a/./b/..{tail}"),
        4 => format!("{line}%c3%a9"),
        5 => format!("{line} x"),
        _ => format!("{line}%7Euser"),
    }
}
