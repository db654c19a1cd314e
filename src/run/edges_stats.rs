//! The statistics of a run of `Edges`: counts of pages, links and edges, for people and for programs.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::stats::{CodeStats, rate};
use super::stats_json::{damages, pages};
use crate::Standard;
use crate::edges::{LinkCounts, Node};
use crate::read::{Damage, PageCounts};
use crate::simd::Isa;

/// The statistics of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EdgesStats {
    /// What an edge leads from and to.
    pub node: Node,
    /// Pages read.
    pub pages: PageCounts,
    /// What became of their links.
    pub links: LinkCounts,
    /// References that are none, by code, those that occur, each with the first example.
    pub by_code: Vec<CodeStats>,
    /// Edges: the rows of the table, or of the graph's.
    pub edges: u64,
    /// The vertices of a graph.
    pub vertices: Option<u64>,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Bytes read, as they are stored.
    pub stored_bytes: u64,
    /// Bytes that went to temporary files.
    pub spilled_bytes: u64,
    /// The output's name, as messages have it.
    pub output_name: String,
    /// The name of its format.
    pub output_format: &'static str,
    /// Its size.
    pub output_bytes: u64,
    /// Whether it was read back and compared.
    pub verified: bool,
    /// The format of the inputs, or of the first of them where each was found out.
    pub input_format: &'static str,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
    /// The specification that decided what is valid.
    pub spec: Standard,
    /// Threads that did the work.
    pub threads: usize,
    /// The kernel.
    pub isa: Isa,
    /// From the first look at the options to the output.
    pub time: Duration,
}

impl EdgesStats {
    /// Bytes a second, decompressed.
    pub fn bytes_per_second(&self) -> f64 {
        rate(self.bytes, self.time)
    }

    /// One object: what `urimill links --edges` prints with `--summary json`.
    pub fn to_json(&self) -> Value {
        let codes = self.by_code.iter().map(|code| (code.code.as_str().to_owned(), json!(code.records)));
        let LinkCounts { counted, invalid, without_source, without_target, to_itself } = self.links;
        json!({
            "node": self.node.as_str(),
            "input_format": self.input_format,
            "pages": pages(&self.pages),
            "links": {
                "counted": counted,
                "invalid": invalid,
                "without_source": without_source,
                "without_target": without_target,
                "to_itself": to_itself,
            },
            "by_code": codes.collect::<Map<_, _>>(),
            "edges": self.edges,
            "vertices": self.vertices,
            "bytes": self.bytes,
            "stored_bytes": self.stored_bytes,
            "spilled_bytes": self.spilled_bytes,
            "verified": self.verified,
            "damaged": damages(&self.damaged),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.bytes_per_second() / 1e6,
            "output": { "name": self.output_name, "format": self.output_format, "bytes": self.output_bytes },
            "spec": self.spec.as_str(),
            "threads": self.threads,
            "isa": self.isa.as_str(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
