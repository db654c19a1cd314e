//! Finds where a URI in a text ends. The finder has found where it begins.
//!
//! It ends before the first byte that can't be in it: white space, control characters, characters that no URI or IRI
//! holds, a closing bracket that it has not opened, the quote around it. An opening bracket that is not closed ends it
//! too. Then the punctuation of the sentence is removed from its end.

use super::LONGEST;
use super::entity;
use alloc::vec::Vec;

/// If another bracket opens this many bytes after an opening bracket that is still open, the first counts as never
/// closed: otherwise, in a text of many beginnings, each would be measured to its far end.
const LONGEST_BRACKET: usize = 1 << 10;

/// The text before a URI, which decides where it ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    /// The quote directly before it.
    pub(super) quote: Option<Quote>,
    /// Whether that quote begins the value of an attribute.
    pub(super) in_attribute: bool,
    /// Whether the attribute holds one URI, so that spaces are part of it.
    pub(super) holds_spaces: bool,
    /// The byte of Markdown's emphasis directly before it.
    pub(super) emphasis: Option<u8>,
    /// Whether it begins the text of an element.
    pub(super) in_element: bool,
    /// Whether the text is markup.
    pub(super) is_markup: bool,
}

/// A quotation mark before a URI, by the marks that may end the quotation. Languages differ in which mark comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote(&'static [&'static str]);

/// Each mark with those that end its quotation. The UTF-8 of these marks begins with the same byte.
const QUOTES: &[(&str, &[&str])] = &[
    ("\"", &["\""]),
    ("'", &["'"]),
    ("«", &["»"]),
    ("»", &["«", "»"]),
    ("‹", &["›"]),
    ("›", &["‹", "›"]),
    ("“", &["”", "“"]),
    ("”", &["”"]),
    ("„", &["“", "”"]),
    ("‟", &["”"]),
    ("‘", &["’", "‘"]),
    ("’", &["’"]),
    ("‚", &["‘", "’"]),
    ("‛", &["’"]),
    ("「", &["」"]),
    ("『", &["』"]),
    ("〈", &["〉"]),
    ("《", &["》"]),
    ("〝", &["〞", "〟"]),
    ("＂", &["＂"]),
    ("＇", &["＇"]),
];

impl Quote {
    /// The mark that ends a text, if one does.
    fn at_end(text: &[u8]) -> Option<Quote> {
        QUOTES.iter().find(|(mark, _)| text.ends_with(mark.as_bytes())).map(|&(_, ends)| Quote(ends))
    }

    /// Whether the mark ends at the beginning of this text. An apostrophe between letters is not a mark.
    #[inline]
    fn ends(self, text: &[u8]) -> bool {
        let Quote(ends) = self;
        if ends[0].as_bytes()[0] != text[0] {
            return false;
        }
        ends.iter().any(|end| match text.strip_prefix(end.as_bytes()) {
            Some([next, ..]) if *end == "’" => !next.is_ascii_alphanumeric(),
            found => found.is_some(),
        })
    }
}

/// The attributes of HTML that hold one URI each.
const ATTRIBUTES: &[&[u8]] =
    &[b"href", b"src", b"action", b"cite", b"data", b"poster", b"formaction", b"background", b"longdesc"];

impl Around {
    /// From the text before `start`.
    pub(super) fn of(text: &[u8], start: usize, is_markup: bool) -> Around {
        let around = Around { is_markup, ..Around::default() };
        match &text[..start] {
            [before @ .., b'=', quote @ (b'"' | b'\'')] => {
                let holds_spaces = ends_in_attribute(before);
                Around {
                    quote: Quote::at_end(core::slice::from_ref(quote)),
                    in_attribute: true,
                    holds_spaces,
                    ..around
                }
            }
            [.., quote @ (b'"' | b'\'')] => {
                Around { quote: Quote::at_end(core::slice::from_ref(quote)), ..around }
            }
            before @ [.., 0x80..=0xFF] => Around { quote: Quote::at_end(before), ..around },
            [.., mark @ (b'*' | b'~' | b'_')] => Around { emphasis: Some(*mark), ..around },
            [.., b'>'] => Around { in_element: true, ..around },
            _ => around,
        }
    }

    /// Whether character references stand for their characters in the URI that ends at `end`.
    pub(super) fn has_references(&self, text: &[u8], end: usize, is_quoted: bool) -> bool {
        self.is_markup || self.in_attribute && is_quoted || self.in_element && text.get(end) == Some(&b'<')
    }
}

/// Whether a text ends in the name of an attribute that holds one URI.
fn ends_in_attribute(text: &[u8]) -> bool {
    ATTRIBUTES.iter().any(|name| {
        let ends = text.split_at_checked(text.len().wrapping_sub(name.len()));
        ends.is_some_and(|(before, end)| {
            end.eq_ignore_ascii_case(name) && before.last().is_some_and(u8::is_ascii_whitespace)
        })
    })
}

/// Where a URI ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At this offset, and whether that is at the quote that began it.
    To(usize, bool),
    /// Perhaps after the end of the text so far.
    Unknown,
    /// Too far away to count.
    TooFar,
}

/// Where the URI that begins at `start` ends. `ended`: nothing follows `text`.
pub(super) fn of(text: &[u8], start: usize, ended: bool, around: Around) -> Extent {
    let limit = text.len().min(start + LONGEST);
    let unstopped = |at| match ended {
        _ if limit - start == LONGEST => Extent::TooFar,
        true => Extent::To(at, false),
        false => Extent::Unknown,
    };
    if let Some(quote) = around.quote {
        match within_quotes(&text[..limit], start, quote, around) {
            Stop::At(end) if quote.ends(&text[end..]) => return Extent::To(end, true),
            Stop::Nowhere(at) if unstopped(at) == Extent::Unknown => return Extent::Unknown,
            _ => {}
        }
    }
    let mut open = Vec::new();
    let end = match within_text(&text[..limit], start, &mut open) {
        Stop::At(end) => end,
        Stop::Nowhere(at) => match unstopped(at) {
            Extent::To(end, _) => end,
            other => return other,
        },
    };
    let end = open.first().map_or(end, |&(_, at)| at);
    Extent::To(start + trimmed(&text[start..end], around), false)
}

/// The first byte that is not part of a URI, if there is one.
enum Stop {
    At(usize),
    /// None; the characters are complete up to here.
    Nowhere(usize),
}

/// The role of a byte for a URI in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Part of the URI.
    Part,
    /// Ends the URI.
    End,
    /// Ends the URI unless it is in quotes: the grammar does not allow it, but people and programs write it.
    Unwise,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// Possible start of a character reference.
    Ampersand,
    /// Depends on the character that it begins.
    NonAscii,
}

const ROLES: [Role; 256] = {
    let mut roles = [Role::Part; 256];
    let mut byte = 0;
    while byte < 256 {
        roles[byte] = match byte as u8 {
            0..=b' ' | b'"' | b'<' | b'>' | b'\\' | 0x7F => Role::End,
            b'|' | b'^' | b'`' => Role::Unwise,
            b'(' | b'[' | b'{' => Role::Open,
            b')' | b']' | b'}' => Role::Close,
            b'&' => Role::Ampersand,
            0x80.. => Role::NonAscii,
            _ => Role::Part,
        };
        byte += 1;
    }
    roles
};

/// In quotes brackets need not match, and punctuation of any script may be meant.
fn within_quotes(text: &[u8], start: usize, quote: Quote, around: Around) -> Stop {
    let mut at = start;
    while at < text.len() {
        at += match ROLES[usize::from(text[at])] {
            _ if quote.ends(&text[at..]) => return Stop::At(at),
            Role::End if text[at] == b' ' && around.holds_spaces => 1,
            Role::End => return Stop::At(at),
            Role::Ampersand if !around.in_attribute && entity::is_delimiter(&text[at..]) => {
                return Stop::At(at);
            }
            Role::NonAscii => match character(&text[at..]) {
                Next::Char(c) if is_iri(c) => c.len_utf8(),
                Next::Cut => return Stop::Nowhere(at),
                _ => return Stop::At(at),
            },
            _ => 1,
        };
    }
    Stop::Nowhere(at)
}

/// `open` gets the brackets that are open at the end, with their offsets.
fn within_text(text: &[u8], start: usize, open: &mut Vec<(u8, usize)>) -> Stop {
    let mut at = start;
    while at < text.len() {
        let byte = text[at];
        at += match ROLES[usize::from(byte)] {
            Role::Part => 1,
            Role::End | Role::Unwise => return Stop::At(at),
            Role::Open if open.first().is_some_and(|&(_, first)| at - first > LONGEST_BRACKET) => {
                return Stop::At(at);
            }
            Role::Open => {
                open.push((byte, at));
                1
            }
            Role::Close => match open.pop() {
                Some((opening, _)) if closing(opening) == byte => 1,
                unmatched => {
                    open.extend(unmatched);
                    return Stop::At(at);
                }
            },
            Role::Ampersand if entity::is_delimiter(&text[at..]) => return Stop::At(at),
            Role::Ampersand => 1,
            Role::NonAscii => match character(&text[at..]) {
                Next::Char(c) if is_iri(c) && !delimits(c) => c.len_utf8(),
                Next::Cut => return Stop::Nowhere(at),
                _ => return Stop::At(at),
            },
        };
    }
    Stop::Nowhere(at)
}

fn closing(opening: u8) -> u8 {
    match opening {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// The length of `uri` without the punctuation of the sentence around it. A final apostrophe is removed if it has no
/// match, an emphasis mark if one precedes the URI.
fn trimmed(uri: &[u8], around: Around) -> usize {
    let mut left = uri;
    let mut apostrophes = None;
    loop {
        left = match left {
            [.., b';'] if around.is_markup && entity::ends_in_reference(left) => return left.len(),
            [head @ .., b'.' | b',' | b';' | b':' | b'!' | b'?'] => head,
            [head @ .., b'\''] => {
                let count = apostrophes.get_or_insert_with(|| memchr::memchr_iter(b'\'', left).count());
                if *count % 2 == 0 {
                    return left.len();
                }
                *count -= 1;
                head
            }
            [head @ .., mark] if Some(*mark) == around.emphasis => head,
            // ’ (U+2019), … (U+2026), – (U+2013)
            [head @ .., 0xE2, 0x80, 0x99 | 0xA6 | 0x93] => head,
            _ => return left.len(),
        };
    }
}

/// The character at the beginning of a text.
enum Next {
    Char(char),
    /// The text ends within it.
    Cut,
    /// It is not UTF-8.
    Malformed,
}

fn character(text: &[u8]) -> Next {
    let head = &text[..text.len().min(4)];
    let valid = match core::str::from_utf8(head) {
        Ok(valid) => valid,
        Err(error) if error.valid_up_to() > 0 => {
            core::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(error) if error.error_len().is_none() => return Next::Cut,
        Err(_) => return Next::Malformed,
    };
    valid.chars().next().map_or(Next::Malformed, Next::Char)
}

/// Whether an IRI may hold a character outside ASCII: `ucschar` of RFC 3987 2.2, without white space and without the
/// direction marks that its section 4.1 forbids. Private characters have no meaning in a text.
pub(super) fn is_iri(c: char) -> bool {
    let is_ucschar = matches!(c, '\u{A0}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFEF}')
        || matches!(c, '\u{10000}'..='\u{DFFFD}' | '\u{E1000}'..='\u{EFFFD}')
            && (c as u32 & 0xFFFE) != 0xFFFE;
    let is_direction =
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    is_ucschar && !is_direction && !c.is_whitespace() && c != '\u{FEFF}'
}

/// Whether a character that an IRI may hold nevertheless ends one in a text: quotes, dashes, and the punctuation and
/// brackets of scripts that put no spaces after them.
fn delimits(c: char) -> bool {
    matches!(
        c,
        '«' | '»' | '‹' | '›' | '“' | '”' | '„' | '‟' | '‘' | '‚' | '—' | '＂' | '＇' | '、' | '。' | '〈'..='】'
            | '〔'..='〟' | '！' | '（' | '）' | '，' | '：' | '；' | '＜' | '＞' | '？' | '［' | '］'
            | '｛'..='｝' | '｟'..='､'
    )
}
