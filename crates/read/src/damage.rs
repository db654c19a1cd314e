//! Inputs that are truncated or damaged, if the caller wants everything that can still be read. The readers add each
//! damage to a list, which the caller reads after the run.

use std::sync::{Arc, Mutex};

use urimill_base::error::{Error, ErrorKind};
use urimill_base::locks::lock;
use urimill_base::option_name::OptionName;

/// How an input that is truncated or damaged is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum OnDamage {
    /// It ends the run with an error.
    #[default]
    Fail,
    /// The records before the damage count, and the next input follows.
    Keep,
    /// The same, and if the input can be read again after the damage, it goes on there: at the next member of a
    /// compressed file.
    Skip,
}

impl OnDamage {
    /// Every choice by its name.
    pub const NAMED: [(&'static str, OnDamage); 3] =
        [("fail", OnDamage::Fail), ("keep", OnDamage::Keep), ("skip", OnDamage::Skip)];
}

/// One damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The input, as messages name it.
    pub source: String,
    /// The fault and its byte: one sentence.
    pub sentence: String,
    /// Records of the input before it.
    pub records: u64,
    /// Decompressed bytes of a record that it cuts off, which are dropped.
    pub left_out: u64,
    /// The byte of the stored file where reading went on, if it did.
    pub resumed: Option<u64>,
    /// Whether records were handed on from the damaged member before its checksum could be verified: they may differ
    /// from what was stored.
    pub unsure: bool,
}

impl Damage {
    /// A damage after `records` records of a source, which drops no part of a record.
    pub fn after(records: u64, source: &str, sentence: String) -> Damage {
        Damage { source: source.to_owned(), sentence, records, left_out: 0, resumed: None, unsure: false }
    }

    /// The error of a run that published its outputs; `more` counts further damages.
    pub fn published(&self, more: &str) -> Error {
        let as_asked = OptionName::OnDamage.named();
        let sentence = format!("{}{more}; the rest was written, as {as_asked} says", self.sentence);
        Error::new(ErrorKind::Data, sentence)
    }
}

/// All damages of a run. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Damages(Arc<Mutex<Vec<Damage>>>);

impl Damages {
    /// The damages so far, in the order in which they were found.
    pub fn list(&self) -> Vec<Damage> {
        lock(&self.0).clone()
    }

    /// Adds a damage of another list.
    pub fn push(&self, damage: Damage) {
        lock(&self.0).push(damage);
    }

    /// Adds a damage; returns its number.
    pub fn add(&self, source: &str, error: &Error, unsure: bool) -> usize {
        let mut list = lock(&self.0);
        list.push(Damage {
            source: source.to_owned(),
            sentence: error.to_string(),
            records: 0,
            left_out: 0,
            resumed: None,
            unsure,
        });
        list.len() - 1
    }

    pub(super) fn update(&self, number: usize, update: impl FnOnce(&mut Damage)) {
        if let Some(damage) = lock(&self.0).get_mut(number) {
            update(damage);
        }
    }
}

/// How a reader handles damage, and where it reports it.
#[derive(Debug, Clone, Default)]
pub(super) struct Handling {
    pub(super) on_damage: OnDamage,
    pub(super) damages: Damages,
}

impl Handling {
    /// Whether an error is damage that the caller accepts.
    pub(super) fn takes(&self, error: &Error) -> bool {
        self.on_damage != OnDamage::Fail && error.kind() == ErrorKind::Data
    }
}
