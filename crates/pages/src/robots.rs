//! Lists for crawlers, one item on each line: robots.txt, whose sitemaps are the records (RFC 9309, 2.2.4), and seeds
//! of Nutch and StormCrawler, a URI and, after tabs, its metadata as `name=value`.

use memchr::{memchr, memchr2, memchr2_iter, memrchr2};
use serde_json::Map;
use urimill_columns::batch::{Cell, ExtraColumns, Kind, Records, Text};
use urimill_read::format::first_lines::{LINES, has_scheme, may_be_fetched};
use urimill_read::format::format_row::{FormatRow, Sure};
use urimill_read::format::framing::ChunkText;
use urimill_read::format::json::{add, extra};
use urimill_read::format::keep::{FieldSpec, SelectedFields};
use urimill_read::format::{Behind, Cut, RecordFormat, span};

const KNOWN_OF_SEEDS: &[FieldSpec] = &[FieldSpec::optional(0, "metadata", Kind::Text)];

/// The row of robots.txt.
pub const ROBOTS: FormatRow = FormatRow {
    name: "robots",
    meaning: "robots.txt: its sitemaps",
    others: "passed over",
    detect: |first| Sure::Begins.when(begins(first)),
    reader: |format, asked| Ok(CrawlList { chosen: format.selected(asked)?, is_seeds: false }.into()),
    ..FormatRow::TEXT
};

/// The row of seeds.
pub const SEEDS: FormatRow = FormatRow {
    name: "seeds",
    meaning: "Seeds of Nutch and StormCrawler: a URI a line, perhaps with metadata after tabs",
    fields: KNOWN_OF_SEEDS,
    detect: |first| Sure::by_lines(first, is_seed),
    reader: |format, asked| Ok(CrawlList { chosen: format.selected(asked)?, is_seeds: true }.into()),
    ..FormatRow::TEXT
};

/// The format.
#[derive(Debug, Clone)]
struct CrawlList {
    chosen: SelectedFields,
    is_seeds: bool,
}

impl RecordFormat for CrawlList {
    fn name(&self) -> &'static str {
        if self.is_seeds { "seeds" } else { "robots" }
    }

    fn extra_columns(&self) -> ExtraColumns {
        self.chosen.extra.clone()
    }

    fn cut(&self, bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
        cut(bytes, searched, behind)
    }

    fn find(&self, chunk: &ChunkText<'_>, (from, most): (usize, usize), records: &mut Records) -> usize {
        let bytes = chunk.text();
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let start = at;
            let end = memchr2(b'\n', b'\r', &bytes[start..]).map_or(bytes.len(), |found| start + found);
            at = end + line_end(&bytes[end..]);
            // A file that was made of several has byte-order marks inside.
            let mark = if bytes[start..end].starts_with(MARK) { MARK.len() } else { 0 };
            let (start, text) = (start + mark, &bytes[start + mark..end]);
            match self.is_seeds {
                true => self.seed(bytes, start, text, records),
                false => sitemap(start, text, records),
            }
        }
        at
    }
}

impl CrawlList {
    fn seed(&self, bytes: &[u8], start: usize, line: &[u8], records: &mut Records) {
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            return records.push_blank();
        }
        let whole = span(start, start + line.len());
        let mut words = line.split(|&b| b == b'\t');
        let uri = words.next().unwrap_or_default().trim_ascii_end();
        let (mut metadata, mut wrong) = (Map::new(), None);
        let mut from = start + memchr(b'\t', line).map_or(line.len(), |tab| tab + 1);
        for word in words {
            match memchr(b'=', word) {
                Some(is) if is > 0 && str::from_utf8(word).is_ok() => {
                    let [name, value] = [&word[..is], &word[is + 1..]].map(String::from_utf8_lossy);
                    add(&mut metadata, &name, value.into_owned().into());
                }
                _ if word.trim_ascii().is_empty() => {}
                _ => wrong = wrong.or(Some(from - start)),
            }
            from += word.len() + 1;
        }
        match wrong {
            Some(at) => {
                records.push_misfit(whole, at as u32);
            }
            None => {
                records.push(start as u32, Text::Read(span(start, start + uri.len())), None);
                // A line of prose is not a seed, nor is a line of a log.
                if uri.contains(&b' ') || !may_be_fetched(uri) {
                    records.mark_mismatch(whole);
                }
            }
        }
        debug_assert!(start + uri.len() <= bytes.len());
        if !self.chosen.places.is_empty() {
            let cell: Cell = extra(metadata, records);
            records.keep(self.chosen.places.iter().map(|_| cell));
        }
    }
}

/// The byte-order mark with which a text in UTF-8 may begin.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The length of the line end at the beginning of a text: LF, CR, or both (RFC 9309, 2.2). Java reads lines so, too.
fn line_end(text: &[u8]) -> usize {
    if text.starts_with(b"\r\n") { 2 } else { usize::from(!text.is_empty()) }
}

/// See [`RecordFormat::cut`].
fn cut(bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
    let mut end = bytes.len();
    if behind != Behind::End {
        // An LF may follow a CR at the end.
        let seen = bytes.len() - usize::from(bytes.ends_with(b"\r"));
        end = memrchr2(b'\n', b'\r', bytes.get(searched.saturating_sub(1)..seen)?)?;
        end += searched.saturating_sub(1) + 1;
    }
    let whole = &bytes[..end];
    let ends =
        memchr2_iter(b'\n', b'\r', whole).filter(|&at| !whole[at..].starts_with(b"\r\n")).count() as u64;
    let is_unended = whole.last().is_some_and(|last| !matches!(last, b'\n' | b'\r'));
    Some(Cut { end, records: ends + u64::from(is_unended) })
}

/// A line of robots.txt: other rules are skipped, and a line that is not a rule is malformed.
fn sitemap(start: usize, line: &[u8], records: &mut Records) {
    let text = &line[..memchr(b'#', line).unwrap_or(line.len())];
    if text.trim_ascii().is_empty() {
        return records.push_blank();
    }
    let Some((name, value)) = rule(text) else {
        let whole = span(start, start + line.len());
        return records.push_misfit(whole, 0);
    };
    if !is_sitemap(name) {
        return records.pass();
    }
    match value.len() {
        0 => records.push_null(start as u32, None),
        len => {
            let from = start + text.trim_ascii_end().len() - len;
            records.push(start as u32, Text::Read(span(from, from + len)), None);
        }
    }
}

/// The name of a rule and its value (RFC 9309, 2.2). The scheme of a URI is not a name. As Google's parser does, this
/// takes white space for a missing colon after a known name, if one word follows.
fn rule(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b' ');
    let with_colon = memchr(b':', text).and_then(|colon| {
        let name = text[..colon].trim_ascii();
        let is_rule = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_name);
        (is_rule && !text[colon + 1..].starts_with(b"//")).then_some((name, text[colon + 1..].trim_ascii()))
    });
    let is_sure = |(name, _): &(&[u8], &[u8])| known(name).is_some() || !name.contains(&b' ');
    with_colon.filter(is_sure).or_else(|| without_colon(text)).or(with_colon)
}

/// The same for a rule without a colon.
fn without_colon(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = text.iter().position(u8::is_ascii_whitespace)?;
    let (name, value) = (&text[..space], text[space..].trim_ascii());
    (known(name).is_some() && !value.iter().any(u8::is_ascii_whitespace)).then_some((name, value))
}

/// The rules by which robots.txt is detected, and frequent misspellings. The headers of a request have only the first
/// of them, and those of a response only `Allow`.
const RULES: [(&[u8], Rule); 16] = [
    (b"user-agent", Rule::Agent),
    (b"useragent", Rule::Agent),
    (b"user agent", Rule::Agent),
    (b"disallow", Rule::Other),
    (b"dissallow", Rule::Other),
    (b"dissalow", Rule::Other),
    (b"disalow", Rule::Other),
    (b"diasllow", Rule::Other),
    (b"disallaw", Rule::Other),
    (b"allow", Rule::Allow),
    (b"noindex", Rule::Other),
    (b"crawl-delay", Rule::Other),
    (b"clean-param", Rule::Other),
    (b"request-rate", Rule::Other),
    (b"sitemap", Rule::Sitemap),
    (b"site-map", Rule::Sitemap),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Agent,
    Allow,
    Sitemap,
    Other,
}

/// The rule of a name, in any case.
fn known(name: &[u8]) -> Option<Rule> {
    RULES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, rule)| rule)
}

/// Whether a text begins as a robots.txt: its first rule is a sitemap; or most of its first lines have the form of
/// rules, whose names are free (RFC 9309, 2.2.4), and they name crawlers. The headers of a request name one agent,
/// never `*`, and have no other known rule, nor one for a path.
fn begins(first: &[u8]) -> bool {
    let lines = first.split(|b| matches!(b, b'\n' | b'\r'));
    let lines =
        lines.filter(|line| !line.trim_ascii().is_empty() && !line.trim_ascii_start().starts_with(b"#"));
    let (mut agents, mut has_rule, mut rules, mut all) = (0, false, 0, 0);
    for line in lines.take(LINES) {
        let line = &line[..memchr(b'#', line).unwrap_or(line.len())];
        let found = rule(line);
        let kind = found.and_then(|(name, _)| known(name));
        if all == 0 && kind == Some(Rule::Sitemap) {
            return true;
        }
        let value = found.map_or(&b"-"[..], |(_, value)| value);
        // Servers also send a field `Allow`: it names methods.
        let is_path = matches!(value, [] | [b'/' | b'*' | b'$', ..]);
        agents += usize::from(kind == Some(Rule::Agent));
        has_rule |= match kind {
            Some(Rule::Agent) => value == b"*",
            Some(Rule::Allow) => is_path,
            Some(_) => true,
            None => agents > 0 && matches!(value, [b'/', ..]),
        };
        rules += usize::from(found.is_some());
        all += 1;
    }
    (agents > 0 && has_rule || agents > 1) && 2 * rules > all
}

/// Whether a rule of this name names a sitemap. Google reads the second spelling, too.
fn is_sitemap(name: &[u8]) -> bool {
    known(name) == Some(Rule::Sitemap)
}

/// Whether a line is a URI with metadata after it.
fn is_seed(line: &[u8]) -> bool {
    let mut words = line.split(|&b| b == b'\t');
    let uri = words.next().unwrap_or_default();
    let is_named = |word: &[u8]| memchr(b'=', word).is_some_and(|is| is > 0);
    has_scheme(uri) && line.contains(&b'\t') && words.all(is_named)
}
