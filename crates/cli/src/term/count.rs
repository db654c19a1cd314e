//! Numbers with the noun that they count.

use indicatif::HumanCount;

/// "1 line", "2,000 lines".
pub(crate) fn count(n: u64, what: &str) -> String {
    format!("{} {what}{}", HumanCount(n), if n == 1 { "" } else { "s" })
}
