//! Compares every kernel's results with a slow and simple split (RFC 3986 Appendix B) and with another parser: for the
//! tests of `simd`, and for the body of the fuzz target `kernel`.

use urimill_uri::grammar::Spec;
use urimill_uri::grammar::chars::Charset;
use urimill_uri::internal::{parse_full, parse_full_behind};
use urimill_uri::simd::{
    Isa, PADDING, SlowPath, Span, Split, Splits, list_unsure, split_lines, split_one, split_spans,
};
use urimill_uri::{Host, Level, UriRef, normalize};

use crate::is_uri_reference;

pub const LIMIT: usize = 1 << 20;

/// All results of a kernel: start, offsets and slow-path bits of each record, the rows for the slow path, the blank
/// lines.
pub type Said = (Vec<(u32, Split, SlowPath)>, Vec<u32>, Vec<u32>);

pub fn said(splits: &Splits) -> Said {
    let rows = (0..splits.len()).map(|i| (splits.start[i], splits.get(i), splits.slow_path[i])).collect();
    (rows, splits.slow_rows.clone(), splits.blank.clone())
}

pub fn how(isa: Isa) -> (Spec, Option<Isa>) {
    (Spec::Rfc3986, Some(isa))
}

/// `fill` repeated up to `align`, the text, the newline of the padding, and `fill` again.
pub fn padded(align: usize, text: &[u8], fill: &[u8]) -> Vec<u8> {
    let mut buffer: Vec<u8> = fill.iter().copied().cycle().take(align).collect();
    buffer.extend_from_slice(text);
    buffer.push(b'\n');
    buffer.extend(fill.iter().copied().cycle().take(PADDING - 1));
    buffer
}

/// The result for the lines of `text`, which must be the same for every kernel.
pub fn lines(align: usize, text: &[u8]) -> Said {
    let buffer = padded(align, text, b"\0");
    let range = (align, align + text.len());
    let say = |isa| {
        let mut out = Splits::default();
        let progress = split_lines(&buffer, range, text.len() + 1, LIMIT, how(isa), &mut out);
        assert!(progress.done, "{isa:?} stopped at {} of {range:?}", progress.at);
        said(&out)
    };
    let reference = say(Isa::Scalar);
    for isa in Isa::available() {
        assert_eq!(say(isa), reference, "{isa:?}, lines at {align}: {}", text.escape_ascii());
    }
    for charset in [Charset::Rfc3986, Charset::Rfc2396, Charset::Urls] {
        unsure(&buffer, range, charset);
    }
    reference
}

/// Compares the lines that a kernel lists as unsure with those that the portable split leaves to the full parser: the
/// list has all of these, and the other lines are valid.
fn unsure(buffer: &[u8], range: (usize, usize), charset: Charset) {
    let mut splits = Splits::default();
    let _ = split_lines(buffer, range, usize::MAX, LIMIT, (charset, Some(Isa::Scalar)), &mut splits);
    let rows = (0..splits.len()).map(|row| {
        let split = splits.get(row);
        let is_unsure = splits.slow_path[row].has(SlowPath::UNSURE & !SlowPath::LONG)
            || charset == Charset::Urls && split.scheme_end == 0;
        (Span { start: splits.start[row], len: split.end }, is_unsure)
    });
    let rows: Vec<(Span, bool)> = rows.collect();
    for isa in Isa::available() {
        let mut listed = Vec::new();
        let count = list_unsure(buffer, range, (charset, Some(isa)), &mut listed);
        assert_eq!(count, rows.len(), "{isa:?}, {charset:?}: {}", buffer.escape_ascii());
        let mut listed = listed.into_iter().peekable();
        for &(span, is_unsure) in &rows {
            let text = &buffer[span.start as usize..][..span.len as usize];
            let shown = text.escape_ascii();
            match listed.next_if_eq(&span) {
                Some(_) => assert!(is_unsure, "{isa:?}, {charset:?}: the split is sure of {shown}"),
                None => {
                    assert!(!is_unsure || is_valid(text, charset), "{isa:?}, {charset:?}: sure of {shown}")
                }
            }
        }
        assert_eq!(listed.next(), None, "{isa:?}, {charset:?}: no line of {}", buffer.escape_ascii());
    }
}

fn is_valid(text: &[u8], charset: Charset) -> bool {
    match charset {
        Charset::Rfc3986 => is_uri_reference(text),
        Charset::Rfc2396 => UriRef::parse_as(text, Spec::Rfc2396).is_ok(),
        #[cfg(feature = "fuzz")]
        Charset::Urls => urimill_uri::whatwg::Url::parse(text, None).is_ok(),
        #[cfg(not(feature = "fuzz"))]
        Charset::Urls => text.starts_with(b"http"),
    }
}

/// The result for `text` in the middle of a buffer filled with `fill`, which must be the same for every kernel.
pub fn span(align: usize, text: &[u8], fill: &[u8]) -> (Split, SlowPath) {
    let mut buffer = padded(align, text, fill);
    buffer[align + text.len()] = fill[0];
    let spans = [Span { start: align as u32, len: text.len() as u32 }];
    let say = |isa| {
        let mut out = Splits::default();
        split_spans(&buffer, &spans, LIMIT, how(isa), &mut out);
        said(&out)
    };
    let reference = say(Isa::Scalar);
    for isa in Isa::available() {
        assert_eq!(say(isa), reference, "{isa:?}, span at {align}: {}", text.escape_ascii());
    }
    let (_, split, slow_path) = reference.0[0];
    let is_sure_but_for_bytes = slow_path.0 & SlowPath::UNSURE == SlowPath::INVALID;
    assert!(
        !is_sure_but_for_bytes || !is_uri_reference(text),
        "nothing is wrong with {}",
        text.escape_ascii()
    );
    (split, slow_path)
}

/// The result for `text` alone, which must be the same for every kernel.
pub fn alone(text: &[u8]) -> (Split, SlowPath) {
    // A copy whose memory ends where the text ends.
    let text = text.to_vec().into_boxed_slice();
    let reference = split_one(&text, how(Isa::Scalar));
    for isa in Isa::available() {
        assert_eq!(split_one(&text, how(isa)), reference, "{isa:?}, alone: {}", text.escape_ascii());
    }
    reference
}

/// Appendix B's expression, with the authority split too, for a valid text.
fn slow_split(text: &[u8]) -> Split {
    let find = |from: usize, stops: &[u8]| {
        (from..text.len()).find(|&at| stops.contains(&text[at])).unwrap_or(text.len())
    };
    let first = find(0, b":/?#");
    let scheme_end = if text.get(first) == Some(&b':') { first } else { 0 };
    let after = if scheme_end > 0 { scheme_end + 1 } else { 0 };
    let (mut host_start, mut host_end, mut path_start) = (after, after, after);
    if text[after..].starts_with(b"//") {
        path_start = find(after + 2, b"/?#");
        host_start = find(after + 2, b"@") + 1;
        if host_start > path_start {
            host_start = after + 2;
        }
        let behind_brackets = (host_start..path_start).find(|&at| text[at] == b']').unwrap_or(host_start);
        host_end = find(behind_brackets, b":").min(path_start);
    }
    let path_end = find(path_start, b"?#");
    let query_end = find(path_end, b"#");
    let [scheme_end, host_start, host_end, path_start, path_end, query_end, end] =
        [scheme_end, host_start, host_end, path_start, path_end, query_end, text.len()].map(|at| at as u32);
    Split { scheme_end, host_start, host_end, path_start, path_end, query_end, end }
}

/// Checks the result for a record against the slow split, another parser, and the promises of [`SlowPath`].
pub fn judge(text: &[u8], (split, slow_path): (Split, SlowPath)) {
    let shown = text.escape_ascii();
    assert_eq!(split.end as usize, text.len(), "the end holds whatever the flags: {shown}");
    let valid = is_uri_reference(text);
    let parsed = UriRef::parse(text);
    assert_eq!(parsed.is_ok(), valid, "{shown}: {parsed:?}");
    if let Ok(uri) = &parsed {
        assert_eq!(uri.split(), slow_split(text), "{shown}");
        assert_eq!(uri.check(), Ok(()), "{shown}");
    }
    if slow_path.has(SlowPath::UNSURE) {
        let behind = parse_full_behind(text, &split, slow_path, Spec::Rfc3986);
        assert_eq!(behind, parse_full(text, Spec::Rfc3986), "what the kernel vouches for is so: {shown}");
    }
    for spec in [Spec::Rfc3986Errata, Spec::Rfc2396] {
        let whole = parse_full(text, spec).map(|(split, host)| (split, host.map(Host::kind)));
        let found = UriRef::parse_as(text, spec).map(|uri| (uri.split(), uri.host_kind()));
        assert_eq!(found, whole, "{spec}: {shown}");
    }
    if slow_path.has(SlowPath::UNSURE) {
        return judge_behind_head(text, split, slow_path);
    }
    assert!(valid, "sure of what is none: {shown}");
    assert_eq!(split, slow_split(text), "{shown}");
    if slow_path.is_none() {
        has_normal_form(std::str::from_utf8(text).expect("valid, as asserted"));
    }
}

/// Checks the offsets and bits after a scheme or an authority that the kernel is not sure of.
fn judge_behind_head(text: &[u8], split: Split, slow_path: SlowPath) {
    let (shown, by_rule) = (text.escape_ascii(), slow_split(text));
    match slow_path.0 & SlowPath::UNSURE {
        SlowPath::AUTHORITY => {
            assert_eq!(
                (split.scheme_end, split.path_start),
                (by_rule.scheme_end, by_rule.path_start),
                "{shown}"
            );
        }
        SlowPath::SCHEME => {}
        _ => return,
    }
    assert_eq!((split.path_end, split.query_end), (by_rule.path_end, by_rule.query_end), "{shown}");
    let tail = &text[by_rule.path_start as usize..];
    assert!(slow_path.has(SlowPath::PERCENT) || !tail.contains(&b'%'), "triplets that nobody sees: {shown}");
    let path = &text[by_rule.path_start as usize..by_rule.path_end as usize];
    let mut segments = path.split(|&byte| byte == b'/').skip(1);
    let has_dots = segments.any(|segment| matches!(segment, b"." | b".."));
    assert!(slow_path.has(SlowPath::DOTS) || !has_dots, "dot segments that nobody sees: {shown}");
}

/// Checks that `text` is in normal form at every level. Records that kernels are sure of are not normalized, so the
/// text gets a scheme that kernels leave to the slow path.
fn has_normal_form(text: &str) {
    let scheme = slow_split(text.as_bytes()).scheme_end as usize;
    let (odd, plain) = match text.as_bytes().first() {
        _ if scheme > 0 => (text[..scheme].to_ascii_uppercase() + &text[scheme..], text.to_owned()),
        Some(b'/') => (format!("X:{text}"), format!("x:{text}")),
        _ => return assert!(!text.contains('%'), "triplets are all that a relative path could lose: {text}"),
    };
    let odd = UriRef::parse(&odd).expect("valid, as asserted");
    for level in &Level::ALL[1..] {
        assert_eq!(normalize(&odd, *level), plain, "nothing to do at {level}, said the kernel");
    }
}

/// The lines of `text` by the definition of a line: offset, record.
fn slow_lines(text: &[u8]) -> (Vec<(usize, &[u8])>, Vec<u32>) {
    let (mut records, mut blank, mut at) = (Vec::new(), Vec::new(), 0);
    while at < text.len() {
        let newline = text[at..].iter().position(|&b| b == b'\n').map(|len| at + len);
        let line = &text[at..newline.unwrap_or(text.len())];
        let record = line.strip_suffix(b"\r").filter(|_| newline.is_some()).unwrap_or(line);
        if record.is_empty() {
            blank.push(records.len() as u32);
        } else {
            records.push((at, record));
        }
        at = newline.map_or(text.len(), |newline| newline + 1);
    }
    (records, blank)
}

/// Splits lines with every kernel and judges each result.
pub fn judge_lines(align: usize, text: &[u8]) {
    let (rows, slow_rows, blank) = lines(align, text);
    let (records, blank_lines) = slow_lines(text);
    let shown = text.escape_ascii();
    assert_eq!(rows.len(), records.len(), "{shown}");
    assert_eq!(blank, blank_lines, "{shown}");
    for (&(start, split, slow_path), &(at, record)) in rows.iter().zip(&records) {
        assert_eq!(start as usize, align + at, "{shown}");
        judge(record, (split, slow_path));
        // A carriage return at a block's end counts as part of the record: slower, not wrong.
        let is_cut = record.len() % 64 == 63 && text[at + record.len()..].starts_with(b"\r\n");
        let alike = span(align, record, b"a");
        assert!(is_cut || alike == (split, slow_path), "a line and a span are alike: {shown}");
    }
    let with_care: Vec<u32> = (0..rows.len() as u32).filter(|&i| !rows[i as usize].2.is_none()).collect();
    assert_eq!(slow_rows, with_care, "{shown}");
}
