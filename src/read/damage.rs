//! Inputs that are truncated or damaged, where the caller wants what can still be read of them. Beside the readers,
//! which meet the damage; the caller reads the list when the run is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind};

/// What becomes of an input that is truncated or damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum OnDamage {
    /// It ends the run with an error.
    #[default]
    Fail,
    /// The records before the damage count, and the next input follows.
    Keep,
    /// The same, and where the input can be read again after the damage, it goes on there: at the next member of a
    /// compressed file.
    Skip,
}

/// One damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The input, as messages name it.
    pub source: String,
    /// What is wrong, and at which byte: one sentence.
    pub sentence: String,
    /// Records of the input that stand before it.
    pub records: u64,
    /// Decompressed bytes of a record that it cuts off, which are left out.
    pub left_out: u64,
    /// The byte of the stored file where reading went on, if it did.
    pub resumed: Option<u64>,
    /// Records handed on from the member in which the damage was found, whose checksum could not be looked at: they may
    /// hold other bytes than were stored.
    pub unsure: bool,
}

/// All damages of a run. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Damages(Arc<Mutex<Vec<Damage>>>);

impl Damages {
    /// Those so far, in the order in which they were met.
    pub fn list(&self) -> Vec<Damage> {
        self.lock().clone()
    }

    /// Adds one of another list.
    pub(crate) fn push(&self, damage: Damage) {
        self.lock().push(damage);
    }

    /// Adds one; returns its number.
    pub(crate) fn add(&self, source: &str, error: &Error, unsure: bool) -> usize {
        let mut list = self.lock();
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
        if let Some(damage) = self.lock().get_mut(number) {
            update(damage);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Damage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a reader meets damage: what to do, and where to tell it.
#[derive(Debug, Clone, Default)]
pub(super) struct Handling {
    pub(super) on_damage: OnDamage,
    pub(super) damages: Damages,
}

impl Handling {
    /// Whether an error is one of damage that the caller takes.
    pub(super) fn takes(&self, error: &Error) -> bool {
        self.on_damage != OnDamage::Fail && error.kind() == ErrorKind::Data
    }
}
