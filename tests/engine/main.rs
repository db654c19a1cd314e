//! The engine, from outside: records in, a table out.
//!
//! - `kernels`, `judge`: every instruction set says what the portable one says, and that is true;
//! - `edges`, `guard`: at the edges of memory, between pages that must not be touched;
//! - `batch`: a row of a batch is what the calls for one URI say of its record (`row`);
//! - `arrays`, `chunks`, `fields`: wherever the record came from;
//! - `tables`: rows of tables, and the columns beside them;
//! - `targets`: what references mean, a batch at once;
//! - `lists`: whole lists of real URIs;
//! - `dedupe`: one row for each distinct form;
//! - `domains`: what the hosts of a batch are told is what each of them is told;
//! - `forms`: keys, canonical forms and parameters of queries, by hand;
//! - `repair`: what becomes of a record outside the grammar;
//! - `audit`: the flags, each with a URI that has it and one that almost has it.
//! - `explain`: an explanation is what the table holds, and the bulk search what single calls find.

mod arrays;
mod audit;
mod batch;
mod chunks;
mod dedupe;
mod domains;
#[cfg(unix)]
mod edges;
mod explain;
mod fields;
mod forms;
#[cfg(unix)]
mod guard;
mod kernels;
mod lists;
mod repair;
mod runs;
mod tables;
mod targets;
mod triplets;
mod views;

use std::path::PathBuf;

use urimill_testkit::paths::{self, dataset};
use urimill_testkit::{is_uri_reference, judge, meaning, row, section_5_4};

/// The files of real lists and logs, which are too large for the repository; none where they are not at hand.
fn corpora() -> Vec<PathBuf> {
    let Some(shared) = paths::shared() else { return Vec::new() };
    let entries = std::fs::read_dir(shared.join("corpora")).expect("the shared data has lists");
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file());
    let mut paths: Vec<_> = files.collect();
    paths.sort();
    paths
}

/// Pseudo-random numbers (SplitMix64): the same ones for the same seed.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A text of up to `most` parts that make trouble: delimiters, triplets and pieces of them, what is
    /// outside the grammar, and enough letters to cross the edges of blocks.
    fn text(&mut self, most: usize) -> Vec<u8> {
        const BEGINNINGS: [&str; 12] = [
            "",
            "http://",
            "https://",
            "//",
            "/",
            "HTTP://",
            "mailto:",
            "file://",
            "http:/",
            "http://u:p@",
            "a",
            "url:",
        ];
        const PARTS: [&[u8]; 48] = [
            b"/",
            b"/",
            b"/",
            b"?",
            b"#",
            b":",
            b"@",
            b".",
            b"/.",
            b"/..",
            b"/./",
            b"%41",
            b"%2e",
            b"%2F",
            b"%c3%a9",
            b"%",
            b"%4",
            b"%zz",
            b"-",
            b"--",
            b"~",
            b"[::1]",
            b"[",
            b"]",
            b"127.0.0.1",
            b":80",
            b":",
            b"example.com",
            b"xn--a",
            b"A",
            b"a",
            b"abc",
            b"0",
            b" ",
            b"\t",
            b"\"",
            b"<",
            b"\\",
            b"\r",
            b"\0",
            b"\xc3\xa9",
            b"\xff",
            b"!$&'()*+,;=",
            b"aaaaaaaaaaaaaaaa",
            b"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            b"localhost",
            b"com.",
            b"7",
        ];
        let mut text = BEGINNINGS[self.below(BEGINNINGS.len())].as_bytes().to_vec();
        // Half of the texts are made of what is harmless and so have a chance of being valid.
        let kinds = if self.below(2) == 0 { PARTS.len() } else { 14 };
        for _ in 0..self.below(most + 1) {
            let part = self.below(kinds);
            let harmless = if kinds == 14 && self.below(2) == 0 { b"abcdefgh" } else { PARTS[part] };
            text.extend_from_slice(harmless);
        }
        text
    }
}
