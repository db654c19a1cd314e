//! Whether an input is mail: by its first bytes, or the end of its name.

/// The kind of mail in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mail {
    /// A message.
    Message,
    /// Messages, each after a line that begins with `From `.
    Mailbox,
}

/// Whether the name of a source has this ending, apart from that of its compression.
pub fn has_end(source: &str, end: &str) -> bool {
    let name = source.to_ascii_lowercase();
    let bare = [".gz", ".bz2", ".zst", ".xz"].iter().find_map(|packed| name.strip_suffix(packed));
    bare.unwrap_or(&name).ends_with(end)
}

/// The kind of mail of a source that begins so; `None` if it is not mail.
pub fn mail(first: &[u8], source: &str) -> Option<Mail> {
    match () {
        () if first.starts_with(b"From ") => Some(Mail::Mailbox),
        () if [".eml", ".mht", ".mhtml"].iter().any(|end| has_end(source, end)) => Some(Mail::Message),
        () if is_message(first) => Some(Mail::Message),
        () => None,
    }
}

/// Whether an input begins with the header of a message: only fields, and one of them is a usual first field.
fn is_message(first: &[u8]) -> bool {
    const FIRST: [&[u8]; 9] = [
        b"received:",
        b"return-path:",
        b"delivered-to:",
        b"mime-version:",
        b"message-id:",
        b"from:",
        b"date:",
        b"subject:",
        b"x-mozilla-status:",
    ];
    FIRST.iter().any(|name| first.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name)))
}
