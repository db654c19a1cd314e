//! Elements of an array in a JSON document, each of which is a record: the root of a document, or the entries of a HAR
//! file, `{"log": {…, "entries": [{…}, …]}}`. This module only finds them, by brackets and strings; a worker reads
//! their contents.

use std::sync::Arc;

use memchr::{memchr, memchr3};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::RecordWalk;
use super::scan::Scan;
use crate::frame::document::{LAST_MEMBER, LONGEST_MEMBER, LONGEST_MEMBERS, Place};

impl RecordWalk<'_> {
    /// Reads one record of the array at `path`; false if the chunk is full or the source ends.
    pub(super) fn item(&mut self, path: &[&str], has_lines: bool) -> Result<bool> {
        let scan = |walk: &Self| walk.scan().of_lines(has_lines);
        loop {
            match self.open.json {
                Place::Before => {
                    if !self.pass_space()? {
                        return Ok(false);
                    }
                    let (mut scan, mut members) = (scan(self), Members::default());
                    self.open.document.members = None;
                    // Without the array the document is a record itself.
                    scan.is_record = has_lines && !path.is_empty();
                    if self.enter(&mut scan, path, &mut members)? {
                        self.forget_beginning(&scan);
                        self.at += scan.at;
                        self.open.json = Place::Within(false);
                        self.open.document.members = members.object();
                    } else if scan.is_record && self.is_held(&scan).is_err() {
                        return self.end_of_line(&mut scan);
                    } else {
                        // Only the rest of a long document is at hand.
                        let passed = if self.is_held(&scan).is_ok() { 0 } else { scan.at };
                        self.at += passed;
                        self.open.json = Place::Lost;
                    }
                }
                Place::Lost => {
                    // A chunk without room leaves it where it is, for the next one.
                    let is_row = self.no_array(path, has_lines)?;
                    if is_row {
                        self.open.json = Place::Before;
                    }
                    return Ok(is_row);
                }
                Place::Within(is_behind) => {
                    if !self.pass_space()? {
                        return Err(self.cut_off(&self.scan(), "the rest of the document"));
                    }
                    match self.ahead()[0] {
                        b',' => {
                            self.at += 1;
                            self.open.json = Place::Within(false);
                        }
                        b']' => {
                            self.at += 1;
                            self.open.json = Place::Behind(path.len());
                        }
                        b'}' | b':' => {
                            let line = if has_lines { b'\n' } else { b',' };
                            return self.stray(|bytes| memchr3(b',', b'{', line, bytes));
                        }
                        _ => {
                            let mut scan = scan(self);
                            scan.is_record = true;
                            if !self.value(&mut scan)? {
                                return Err(self.cut_off(&scan, "the item"));
                            }
                            if !self.finish(&scan) {
                                return Ok(false);
                            }
                            // Without a comma another document has begun, which was read as an item.
                            let is_cut = scan.is_broken || has_lines && is_behind;
                            self.open.json = match is_cut && !path.is_empty() {
                                true => Place::Before,
                                false => Place::Within(!scan.is_broken),
                            };
                            return Ok(true);
                        }
                    }
                }
                Place::Behind(depth) => {
                    let mut scan = scan(self);
                    scan.is_record = has_lines;
                    let Some(left) = self.leave(&mut scan, path, depth)? else {
                        return Err(self.cut_off(&scan, "the rest of the document"));
                    };
                    // A document may be cut right after its array: then nothing is left of it.
                    let is_row = left == Left::Odd && (scan.at > 0 || self.is_held(&scan).is_err());
                    if is_row && !self.finish(&scan) {
                        return Ok(false);
                    }
                    if left != Left::Within {
                        self.open.document.members = None;
                    }
                    self.open.json = if left == Left::Within { Place::Within(false) } else { Place::Before };
                    if is_row {
                        return Ok(true);
                    }
                    self.forget_beginning(&scan);
                    self.at += scan.at;
                }
            }
        }
    }

    /// Ends a document without the array that is longer than a record, of which the chunk has the beginning, at the end of
    /// the line that is reached.
    fn end_of_line(&mut self, scan: &mut Scan) -> Result<bool> {
        if !self.search(scan, 0, |bytes| memchr(b'\n', bytes))? {
            return Err(self.cut_off(scan, "the document"));
        }
        self.at += scan.at;
        Ok(true)
    }

    /// Enters the array at `path`, and notes the members before it; false if there is none.
    fn enter<'p>(&mut self, scan: &mut Scan, path: &[&'p str], members: &mut Members<'p>) -> Result<bool> {
        let Some((name, path)) = path.split_first() else { return self.pass(scan, b'[') };
        if !self.pass(scan, b'{')? {
            return Ok(false);
        }
        loop {
            let Some(key) = self.key(scan)? else { return Ok(false) };
            if key == name.as_bytes() {
                members.around.push(name);
                return self.enter(scan, path, members);
            }
            let begin = self.place(scan);
            if !self.value(scan)? {
                return Ok(false);
            }
            // A long key is not known.
            let is_known = !key.is_empty() && self.place(scan) < scan.begin + LAST_MEMBER;
            if let Some(value) = self.since(scan, begin).filter(|_| is_known) {
                members.add(&key, value);
            }
            if !self.pass(scan, b',')? {
                return Ok(false);
            }
        }
    }

    /// Reads the key of a member, without its quotes, up to its value; empty if it is long, none if there is none.
    fn key(&mut self, scan: &mut Scan) -> Result<Option<Vec<u8>>> {
        self.spaces(scan)?;
        let begin = self.place(scan);
        if self.rest(scan).first() != Some(&b'"') || !self.value(scan)? || scan.is_broken {
            return Ok(None);
        }
        let key = self.since(scan, begin).map(|key| key[1..key.len() - 1].to_vec());
        if !self.pass(scan, b':')? {
            return Ok(None);
        }
        self.spaces(scan)?;
        Ok(Some(key.unwrap_or_default()))
    }

    /// The short text from a place to that of a search, if it is at hand.
    fn since(&self, scan: &Scan, begin: u64) -> Option<&[u8]> {
        let len = usize::try_from(self.place(scan) - begin).ok().filter(|len| *len <= LONGEST_MEMBER)?;
        Some(&self.ahead()[scan.at.checked_sub(len)?..scan.at])
    }

    /// Goes on from the end of the array at `path`, in `depth` brackets; none if the source ends before the document does.
    fn leave(&mut self, scan: &mut Scan, path: &[&str], depth: usize) -> Result<Option<Left>> {
        if !scan.has_lines {
            return Ok(self.close(scan, depth, 0)?.then_some(Left::End));
        }
        let mut left = Left::End;
        for (at, name) in path.iter().enumerate().rev() {
            let is_innermost = at + 1 == path.len();
            while self.pass(scan, b',')? {
                let Some(key) = self.key(scan)? else { return self.odd(scan, at + 1) };
                if key == name.as_bytes() {
                    if is_innermost && self.pass(scan, b'[')? {
                        return Ok(Some(Left::Within));
                    }
                    left = Left::Odd;
                }
                if !self.value(scan)? {
                    return Ok(None);
                }
                if scan.is_broken {
                    return Ok(Some(Left::Odd));
                }
            }
            if !self.pass(scan, b'}')? {
                return self.odd(scan, at + 1);
            }
        }
        Ok(Some(left))
    }

    /// Goes to the end of a document, within `depth` brackets, that has something else than members after its array.
    fn odd(&mut self, scan: &mut Scan, depth: usize) -> Result<Option<Left>> {
        Ok((scan.is_broken || self.close(scan, depth, 0)?).then_some(Left::Odd))
    }

    /// Skips white space, and this byte if it follows; false if another one does.
    fn pass(&mut self, scan: &mut Scan, byte: u8) -> Result<bool> {
        self.spaces(scan)?;
        let is_there = self.rest(scan).first() == Some(&byte);
        scan.at += usize::from(is_there);
        Ok(is_there)
    }

    fn spaces(&mut self, scan: &mut Scan) -> Result<bool> {
        self.search(scan, 0, |bytes| bytes.iter().position(|b| !b.is_ascii_whitespace()))
    }

    /// Skips a value, or what a line has of it; false if the source ends within it.
    fn value(&mut self, scan: &mut Scan) -> Result<bool> {
        self.look(scan, 1)?;
        match self.rest(scan).first() {
            None => Ok(false),
            Some(b'"') => self.string(scan),
            Some(&bracket @ (b'{' | b'[')) => {
                scan.at += 1;
                self.close(scan, 1, u64::from(bracket == b'['))
            }
            Some(_) => {
                let is_end =
                    |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b']' | b'}' | b'"' | b'{' | b'[');
                self.search(scan, 0, |bytes| bytes.iter().position(is_end))
            }
        }
    }

    /// Skips to after the bracket that closes all open ones; false if the source ends before. Of `are_arrays` each bit
    /// says whether an open one is that of an array, the lowest bit of the innermost one.
    fn close(&mut self, scan: &mut Scan, mut depth: usize, mut are_arrays: u64) -> Result<bool> {
        let mut is_deep = false;
        while depth > 0 {
            is_deep |= depth > u64::BITS as usize;
            if !self.search(scan, 0, |bytes| bytes.iter().position(|&b| IS_STRUCTURE[usize::from(b)]))? {
                return Ok(false);
            }
            let byte = self.rest(scan)[0];
            match byte {
                b'"' => {
                    if !self.string(scan)? {
                        return Ok(false);
                    }
                    if scan.is_broken {
                        return Ok(true);
                    }
                    continue;
                }
                b'{' if !is_deep && self.begins_document(scan, are_arrays) => return Ok(self.break_off(scan)),
                b'{' | b'[' => {
                    (depth, are_arrays) = (depth + 1, are_arrays << 1 | u64::from(byte == b'['));
                }
                _ => (depth, are_arrays) = (depth - 1, are_arrays >> 1),
            }
            scan.at += 1;
        }
        Ok(true)
    }

    /// Whether an object begins on a line of its own, where in a document none may: that has ended before.
    fn begins_document(&self, scan: &Scan, are_arrays: u64) -> bool {
        let before = &self.ahead()[..scan.at];
        let is_first = scan.has_lines && before.ends_with(b"\n");
        let may_follow: &[u8] = if are_arrays & 1 == 1 { b"[," } else { b":" };
        is_first && before.trim_ascii_end().last().is_some_and(|b| !may_follow.contains(b))
    }

    /// Ends a document that is cut, before the space at the end of its line.
    fn break_off(&self, scan: &mut Scan) -> bool {
        scan.at = self.ahead()[..scan.at].trim_ascii_end().len();
        scan.is_broken = true;
        true
    }

    /// Skips a string, which has no line end if lines end documents; false if the source ends within it.
    fn string(&mut self, scan: &mut Scan) -> Result<bool> {
        scan.at += 1;
        let newline = if scan.has_lines { b'\n' } else { b'"' };
        while self.search(scan, 0, |bytes| memchr3(b'"', b'\\', newline, bytes))? {
            let is_end = self.rest(scan)[0] == b'"';
            if self.rest(scan)[0] == b'\n' {
                return Ok(self.break_off(scan));
            }
            scan.at += 1;
            if is_end {
                return Ok(true);
            }
            if !self.look(scan, 1)? {
                return Ok(false);
            }
            // What a backslash is before is no end, but that of a line is.
            scan.at += usize::from(!scan.has_lines || self.rest(scan)[0] != b'\n');
        }
        Ok(false)
    }

    /// Adds a row for a document without the array, which may itself be a record, or for bytes that are no document.
    fn other_document(&mut self, has_lines: bool) -> Result<bool> {
        if !self.pass_space()? {
            // It began, and ended before its array did.
            return Err(self.cut_off(&self.scan(), "the rest of the document"));
        }
        if !matches!(self.ahead()[0], b'{' | b'[') {
            let line = if has_lines { b'\n' } else { b'{' };
            return self.stray(|bytes| memchr3(b'{', b'[', line, bytes));
        }
        let mut scan = self.scan().of_lines(has_lines);
        scan.is_record = true;
        match self.value(&mut scan)? {
            true => Ok(self.finish(&scan)),
            false => Err(self.cut_off(&scan, "the document")),
        }
    }

    fn no_array(&mut self, path: &[&str], has_lines: bool) -> Result<bool> {
        // A log was told by more than its first document.
        let is_log = has_lines && !path.is_empty();
        if is_log || self.open.next_record > 1 || !self.framed_records.is_empty() || self.archive.force_format
        {
            return self.other_document(has_lines);
        }
        let what = match path {
            [] => "no JSON document that is an array".to_owned(),
            path => format!("no JSON document with an array {}", path.join(".")),
        };
        Err(Error::usage(format!("{} is {what}: check {}", self.archive.name, OptionName::Format.named())))
    }
}

/// Where a document goes on after its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Within another array at the same path.
    Within,
    /// It has ended.
    End,
    /// It has ended; the rest of it has more than other members, or was cut.
    Odd,
}

/// The members of a document before its array, with commas between.
#[derive(Debug, Default)]
struct Members<'a> {
    /// The names of the members that lead to the array.
    around: Vec<&'a str>,
    text: String,
}

impl Members<'_> {
    /// Adds one, whose key is without quotes; those of an object around the array have its name and a dot before theirs.
    fn add(&mut self, key: &[u8], value: &[u8]) {
        let around: String = self.around.iter().flat_map(|name| [name, "."]).collect();
        let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
        let comma = if self.text.is_empty() { "" } else { "," };
        let member = format!("{comma}\"{around}{key}\":{value}");
        if self.text.len() + member.len() <= LONGEST_MEMBERS {
            self.text.push_str(&member);
        }
    }

    /// All of them; none if there are none.
    fn object(&self) -> Option<Arc<str>> {
        (!self.text.is_empty()).then(|| format!("{{{}}}", self.text).into())
    }
}

const IS_STRUCTURE: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\"{}[]";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};
