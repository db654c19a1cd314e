//! Messages about inputs that are truncated or damaged.

use std::fmt::Write;

use indicatif::HumanCount;

use super::count::count;
use urimill::error::Result;
use urimill::read::Damage;

/// Lines of the summary.
pub(crate) fn text(damages: &[Damage]) -> String {
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

/// After the outputs are published, turns damage of inputs into a failure.
///
/// # Errors
/// `Data`, if there was damage.
pub(crate) fn tell(damages: &[Damage]) -> Result<()> {
    let [first, others @ ..] = damages else { return Ok(()) };
    let more = match others.len() {
        0 => String::new(),
        more => format!(" (and {} more)", count(more as u64, "damage")),
    };
    Err(first.published(&more))
}
