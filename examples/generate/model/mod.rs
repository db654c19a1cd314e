//! A model of a crawl list: an endless list of generated URIs, shaped and soiled as three public lists are.
//!
//! A line is made of a host (`hosts`, a new one or the one before) and a path with query and fragment (`paths`); one
//! line of seventy has something that is wrong or not in normal form (`dirt`). `rng` is the only source of chance,
//! `words` the vocabulary. Constants that describe the whole list are here, and `--help` prints them.

mod dirt;
mod hosts;
mod paths;
mod rng;
mod words;

pub(crate) use dirt::{DIRT, INVALID, total_share};
pub(crate) use hosts::OCTAVES;

use dirt::{Dirt, Kind, Marks};
use hosts::Hosts;
use paths::Paths;
use rng::Rng;

/// A property, and the share of lines that have it.
pub(crate) struct Share {
    /// Its name in `--help` and in tests.
    pub(crate) name: &'static str,
    /// The number of lines per million.
    pub(crate) per_million: u32,
}

const fn share(name: &'static str, per_million: u32) -> Share {
    Share { name, per_million }
}

/// Bytes a line without its newline, on average.
pub(crate) const MEAN_LENGTH: u32 = 80;
/// Lines in a row with the same host, on average.
pub(crate) const MEAN_RUN: f64 = 3.3;

pub(crate) const HTTPS: Share = share("https (the others http)", 955_000);
pub(crate) const WWW: Share = share("host begins with www.", 480_000);
pub(crate) const HOME: Share = share("path is /", 30_000);
pub(crate) const QUERY: Share = share("query", 152_000);
pub(crate) const FRAGMENT: Share = share("fragment", 9_800);
pub(crate) const PERCENT: Share = share("percent-encoded triplets", 50_000);
pub(crate) const EMPTY_SEGMENT: Share = share("empty path segment //", 1_400);
pub(crate) const EMPTY_QUERY: Share = share("empty query", 450);
pub(crate) const EMPTY_FRAGMENT: Share = share("empty fragment", 160);

/// Properties of clean lines: none is a fault, and each is its own normal form.
pub(crate) const SHAPE: [&Share; 9] =
    [&HTTPS, &WWW, &HOME, &QUERY, &FRAGMENT, &PERCENT, &EMPTY_SEGMENT, &EMPTY_QUERY, &EMPTY_FRAGMENT];

/// Chance, per million, that a page is on another host than the page before it. It is less than 1/`MEAN_RUN`, because
/// home pages interrupt the runs, too.
const NEW_HOST: u32 = 252_000;

/// The endless list.
pub(crate) struct Model {
    rng: Rng,
    hosts: Hosts,
    paths: Paths,
    dirt: Dirt,
    /// Scheme and authority of the current run of pages, and the offset of the host in it.
    site: Vec<u8>,
    host: usize,
}

impl Model {
    /// The list for a seed; the shares of all dirt are multiplied by `dirt`. Fails, with a sentence, if that factor is
    /// negative, not a number, or asks for more than every line.
    pub(crate) fn new(seed: u64, dirt: f64) -> Result<Self, String> {
        Ok(Model {
            rng: Rng::new(seed),
            hosts: Hosts::new(),
            paths: Paths::new(),
            dirt: Dirt::new(dirt)?,
            site: Vec::new(),
            host: 0,
        })
    }

    /// Appends the next URI and a newline.
    pub(crate) fn write_line(&mut self, out: &mut Vec<u8>) {
        let kind = self.dirt.draw(&mut self.rng);
        let start = out.len();
        // A list without duplicates names the home page of a host once.
        let home = kind == Some(Kind::EmptyPath) || self.rng.chance(HOME.per_million);
        let host = if home {
            let number = self.hosts.draw_once(&mut self.rng);
            let host = start + self.write_site(number, out);
            out.push(b'/');
            host
        } else {
            if self.site.is_empty() || self.rng.chance(NEW_HOST) {
                let number = self.hosts.draw(&mut self.rng);
                let mut site = std::mem::take(&mut self.site);
                site.clear();
                self.host = self.write_site(number, &mut site);
                self.site = site;
            }
            out.extend_from_slice(&self.site);
            start + self.host
        };
        let mut marks = Marks { start, host, path: out.len() - usize::from(home) };
        if !home {
            self.paths.write(&mut self.rng, out);
        }
        if let Some(kind) = kind {
            self.dirt.soil(kind, &mut self.rng, &self.hosts, out, &mut marks);
        }
        out.push(b'\n');
    }

    /// Writes scheme and authority; returns the length of the part before the host.
    fn write_site(&mut self, number: u64, out: &mut Vec<u8>) -> usize {
        let scheme: &[u8] = if self.rng.chance(HTTPS.per_million) { b"https://" } else { b"http://" };
        out.extend_from_slice(scheme);
        self.hosts.write(number, out);
        scheme.len()
    }
}
