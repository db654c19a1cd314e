//! What arguments of several commands take: names of a list, numbers of bytes, specifications, levels, threads.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::stderr::say_sentence;
use crate::canonical::Canonical;
use crate::grammar::Spec;
use crate::normalize::Level;
use crate::threads;
use crate::uri::Start;

/// One of these names.
pub(super) fn names<const N: usize>(names: [&'static str; N]) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// A specification by its name.
pub(super) fn specs() -> impl TypedValueParser<Value = Spec> {
    names(Spec::ALL.map(Spec::as_str)).try_map(|name| name.parse::<Spec>())
}

/// A level by its name.
pub(super) fn levels() -> impl TypedValueParser<Value = Level> {
    names(Level::ALL.map(Level::as_str)).try_map(|name| name.parse::<Level>())
}

/// A start symbol by its name.
pub(super) fn starts() -> impl TypedValueParser<Value = Start> {
    names(Start::ALL.map(Start::as_str)).try_map(|name| name.parse::<Start>())
}

/// A canonical form by its name.
pub(super) fn forms() -> impl TypedValueParser<Value = Canonical> {
    names(Canonical::ALL.map(Canonical::as_str)).try_map(|name| name.parse::<Canonical>())
}

/// A number of bytes from 1 to 512M, perhaps with K, M or G (KiB, MiB, GiB) behind it.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    // Offsets within a batch have 31 bits, and a chunk holds a whole record, which percent-encoding may triple.
    bytes_within(text, (1, 512 << 20), "1 to 512M")
}

/// A number of bytes, perhaps with K, M or G behind it, from the first to the second, which `range` says in words.
pub(super) fn bytes_within(text: &str, (least, most): (u64, u64), range: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor: u64 = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return Err("give a number of bytes, such as 65536, 64K or 1M".to_owned()),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| format!("give a number of bytes from {range}"))
}

/// How a run's memory is shared out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Bytes of all of it.
    pub(super) whole: usize,
    threads: usize,
}

impl Budget {
    /// What is asked for, or 512 MiB, or 64 MiB for each thread where that is more.
    pub(super) fn new(asked: Option<u64>, threads: usize) -> Budget {
        let default = (512 << 20).max(threads as u64 * (64 << 20));
        Budget { whole: usize::try_from(asked.unwrap_or(default)).unwrap_or(usize::MAX), threads }
    }

    /// Bytes of rows that are counted or sorted: beside them stand the program, a chunk for each thread with all that is
    /// made of it, and what sorting and growing tables take themselves.
    pub(super) fn waiting(&self) -> usize {
        let beside = (48 << 20) + self.threads * (16 << 20);
        // Of little memory most is gone: then runs on disk are short, but not of a few rows.
        let least = (self.whole / 4).max((self.whole / 2).min(1 << 20));
        self.whole.saturating_sub(beside).max(least) / 3 * 2
    }
}

/// As many threads as are asked for, or as there are processors, if the system gives so many now. The program says
/// where it gives fewer.
pub(super) fn threads(asked: Option<u16>, is_program: bool) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let wanted = asked.map_or_else(all, usize::from);
    let given = threads::available(wanted);
    if is_program && given < wanted {
        say_sentence(&format!("the system gives {given} of {wanted} threads, which do all the work"));
        SAID.store(true, Ordering::Relaxed);
    }
    given
}

/// Whether it was said that there are fewer threads than were asked for.
static SAID: AtomicBool = AtomicBool::new(false);

/// Says so where the system has refused a thread later on.
pub(super) fn say_refused_threads() {
    if threads::were_refused() && !SAID.swap(true, Ordering::Relaxed) {
        say_sentence("the system gave fewer threads than were asked for");
    }
}
