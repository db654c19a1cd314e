//! Where the parts of a wrapper are, and the moments that wrappers begin with.

use urimill_columns::batch::is_moment;

/// Where the parts of a wrapper are in the bytes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Around {
    /// Where the line in it begins.
    pub(crate) line: usize,
    /// The time that the wrapper has.
    pub(crate) time: Option<(usize, usize)>,
    /// The host that the wrapper names.
    pub(crate) host: Option<(usize, usize)>,
}

impl Around {
    /// Without time and host.
    pub(super) fn at(line: usize) -> Around {
        Around { line, ..Around::default() }
    }
}

/// The length of the moment with which a text begins: in ISO 8601, with `T`, a space or slashes (`2021/03/12 08:57:48`),
/// with or without fraction and zone. A space, a tab, a brace or a bracket ends it.
pub(super) fn moment(text: &[u8]) -> Option<usize> {
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    let has_form = (is(4, b'-') && is(7, b'-') || is(4, b'/') && is(7, b'/')) && is(13, b':') && is(16, b':');
    if !has_form || !matches!(text[10], b'T' | b' ') {
        return None;
    }
    let end = 19 + text.get(19..)?.iter().position(|b| b" \t{]".contains(b))?;
    is_moment(&text[..end]).then_some(end)
}
