//! `--on-damage`: what becomes of inputs that are truncated or damaged.

use clap::{Args, ValueEnum};

use urimill::read::OnDamage;

/// The option.
#[derive(Debug, Args)]
pub(crate) struct Damaged {
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
    pub(crate) fn choice(&self) -> OnDamage {
        match self.on_damage {
            Choice::Fail => OnDamage::Fail,
            Choice::Keep => OnDamage::Keep,
            Choice::Skip => OnDamage::Skip,
        }
    }
}
