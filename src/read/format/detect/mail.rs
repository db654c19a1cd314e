//! Whether an input is mail: by its first bytes, or the end of its name.

/// What mail an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mail {
    /// A message.
    Message,
    /// Messages, each after a line that begins with `From `.
    Mailbox,
}

/// Whether the name of a source ends so, without the end that says how it is compressed.
pub(in crate::read) fn has_end(source: &str, end: &str) -> bool {
    let name = source.to_ascii_lowercase();
    let bare = [".gz", ".bz2", ".zst", ".xz"].iter().find_map(|packed| name.strip_suffix(packed));
    bare.unwrap_or(&name).ends_with(end)
}

/// What mail a source is that begins so; `None` where it is none.
pub(in crate::read) fn mail(first: &[u8], source: &str) -> Option<Mail> {
    match () {
        () if first.starts_with(b"From ") => Some(Mail::Mailbox),
        () if [".eml", ".mht", ".mhtml"].iter().any(|end| has_end(source, end)) => Some(Mail::Message),
        () if is_message(first) => Some(Mail::Message),
        () => None,
    }
}

/// Whether an input begins with the header of a message: fields alone, of which one is among the usual first ones.
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
