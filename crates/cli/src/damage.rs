//! `--on-damage`: what becomes of inputs that are truncated or damaged, and what is said of them. Beside the commands
//! that write outputs.

use std::fmt::Write;

use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use super::summary::count;
use urimill::error::{Error, ErrorKind, Result};
use urimill::read::{Damage, OnDamage};

/// The option.
#[derive(Debug, Args)]
pub(super) struct Damaged {
    /// What to do if an input is truncated or damaged. fail: end the run and publish nothing. keep: keep the
    /// records before the damage, and continue with the next input. skip: also continue after the damage, at
    /// the next member of a compressed file. With keep and skip the outputs are published, the summary names
    /// the damage, and the exit code is 3
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Choice::Fail, hide_possible_values = true)]
    on_damage: Choice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Fail,
    Keep,
    Skip,
}

impl Damaged {
    /// What is to be done.
    pub(super) fn choice(&self) -> OnDamage {
        match self.on_damage {
            Choice::Fail => OnDamage::Fail,
            Choice::Keep => OnDamage::Keep,
            Choice::Skip => OnDamage::Skip,
        }
    }
}

/// Lines of the summary.
pub(super) fn text(damages: &[Damage]) -> String {
    let mut text = String::new();
    for damage in damages {
        let records = count(damage.records, "record");
        // Writing to a string cannot fail.
        let _ = write!(text, "damaged: {}; {records} before it kept", damage.sentence);
        if damage.unsure {
            text.push_str(
                ", the last of which may be wrong: they come from the damaged member, whose \
             checksum is wrong",
            );
        }
        if damage.left_out > 0 {
            let _ = write!(text, ", {} bytes of a truncated record dropped", HumanCount(damage.left_out));
        }
        if let Some(byte) = damage.resumed {
            let _ = write!(text, "; reading went on at byte {byte}");
        }
        text.push('\n');
    }
    text
}

/// That a run with damaged inputs is not as good as one without, when its outputs are published.
///
/// # Errors
/// `Data`, where there was damage.
pub(super) fn tell(damages: &[Damage]) -> Result<()> {
    let [first, others @ ..] = damages else { return Ok(()) };
    let more = match others.len() {
        0 => String::new(),
        more => format!(" (and {} more)", count(more as u64, "damage")),
    };
    let sentence = format!("{}{more}; the rest was written, as --on-damage says", first.sentence);
    Err(Error::new(ErrorKind::Data, sentence))
}
