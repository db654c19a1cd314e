//! Elements of an array in a JSON document, each of which is a record: the root of a document, or the entries of a HAR
//! file, `{"log": {…, "entries": [{…}, …]}}`. This module only finds them, by brackets and strings; a worker reads
//! their contents.

use memchr::memchr2;
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::RecordWalk;
use super::scan::Scan;
use crate::frame::document::Place;

impl RecordWalk<'_> {
    /// Reads one record of the array at `path`; false if the chunk is full or the source ends.
    pub(super) fn item(&mut self, path: &[&str]) -> Result<bool> {
        loop {
            match self.open.json {
                Place::Before => {
                    if !self.pass_space()? {
                        return Ok(false);
                    }
                    let mut scan = self.scan();
                    if self.enter(&mut scan, path)? {
                        self.at += scan.at;
                        self.open.json = Place::Within;
                    } else {
                        // Only the rest of a long document is at hand.
                        let passed = if self.is_held(&scan).is_ok() { 0 } else { scan.at };
                        self.at += passed;
                        self.open.json = Place::Lost;
                    }
                }
                Place::Lost => {
                    // A chunk without room leaves it where it is, for the next one.
                    let is_row = self.no_array(path)?;
                    if is_row {
                        self.open.json = Place::Before;
                    }
                    return Ok(is_row);
                }
                Place::Within => {
                    if !self.pass_space()? {
                        return Err(self.cut_off(&self.scan(), "the rest of the document"));
                    }
                    match self.ahead()[0] {
                        b',' => self.at += 1,
                        b']' => {
                            self.at += 1;
                            self.open.json = Place::Behind(path.len());
                        }
                        b'}' | b':' => return self.stray(|bytes| memchr2(b',', b'{', bytes)),
                        _ => {
                            let mut scan = self.scan();
                            self.is_record(&mut scan);
                            if !self.value(&mut scan)? {
                                return Err(self.cut_off(&scan, "the item"));
                            }
                            return Ok(self.finish(&scan));
                        }
                    }
                }
                Place::Behind(depth) => {
                    let mut scan = self.scan();
                    if depth > 0 && !self.close(&mut scan, depth)? {
                        return Err(self.cut_off(&self.scan(), "the rest of the document"));
                    }
                    self.at += scan.at;
                    self.open.json = Place::Before;
                }
            }
        }
    }

    /// Enters the array at `path`; false if there is none.
    fn enter(&mut self, scan: &mut Scan, path: &[&str]) -> Result<bool> {
        let Some((name, path)) = path.split_first() else { return self.pass(scan, b'[') };
        if !self.pass(scan, b'{')? {
            return Ok(false);
        }
        loop {
            self.spaces(scan)?;
            let begin = self.place(scan);
            if self.rest(scan).first() != Some(&b'"') || !self.value(scan)? {
                return Ok(false);
            }
            let len = (self.place(scan) - begin) as usize;
            let key = scan.at.checked_sub(len).map(|from| &self.ahead()[from + 1..scan.at - 1]);
            let is_it = key == Some(name.as_bytes());
            if !self.pass(scan, b':')? {
                return Ok(false);
            }
            self.spaces(scan)?;
            if is_it {
                return self.enter(scan, path);
            }
            if !self.value(scan)? || !self.pass(scan, b',')? {
                return Ok(false);
            }
        }
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

    /// Skips a value; false if the source ends within it.
    fn value(&mut self, scan: &mut Scan) -> Result<bool> {
        self.look(scan, 1)?;
        match self.rest(scan).first() {
            None => Ok(false),
            Some(b'"') => self.string(scan),
            Some(b'{' | b'[') => {
                scan.at += 1;
                self.close(scan, 1)
            }
            Some(_) => {
                let is_end =
                    |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b']' | b'}' | b'"' | b'{' | b'[');
                self.search(scan, 0, |bytes| bytes.iter().position(is_end))
            }
        }
    }

    /// Skips to after the bracket that closes all open ones.
    fn close(&mut self, scan: &mut Scan, mut depth: usize) -> Result<bool> {
        while depth > 0 {
            if !self.search(scan, 0, |bytes| bytes.iter().position(|&b| IS_STRUCTURE[usize::from(b)]))? {
                return Ok(false);
            }
            match self.rest(scan)[0] {
                b'"' => {
                    if !self.string(scan)? {
                        return Ok(false);
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            scan.at += 1;
        }
        Ok(true)
    }

    /// Skips a string; false if the source ends within it.
    fn string(&mut self, scan: &mut Scan) -> Result<bool> {
        scan.at += 1;
        while self.search(scan, 0, |bytes| memchr2(b'"', b'\\', bytes))? {
            let is_end = self.rest(scan)[0] == b'"';
            scan.at += 1;
            if is_end {
                return Ok(true);
            }
            if !self.look(scan, 1)? {
                return Ok(false);
            }
            scan.at += 1;
        }
        Ok(false)
    }

    /// Adds a row for a document without the array, which may itself be a record, or for bytes that are no document.
    fn other_document(&mut self) -> Result<bool> {
        if !self.pass_space()? {
            // It began, and ended before its array did.
            return Err(self.cut_off(&self.scan(), "the rest of the document"));
        }
        if !matches!(self.ahead()[0], b'{' | b'[') {
            return self.stray(|bytes| memchr2(b'{', b'[', bytes));
        }
        let mut scan = self.scan();
        self.is_record(&mut scan);
        match self.value(&mut scan)? {
            true => Ok(self.finish(&scan)),
            false => Err(self.cut_off(&scan, "the document")),
        }
    }

    fn no_array(&mut self, path: &[&str]) -> Result<bool> {
        if self.open.next_record > 1 || !self.framed_records.is_empty() || self.archive.force_format {
            return self.other_document();
        }
        let what = match path {
            [] => "no JSON document that is an array".to_owned(),
            path => format!("no JSON document with an array {}", path.join(".")),
        };
        Err(Error::usage(format!("{} is {what}: check {}", self.archive.name, OptionName::Format.named())))
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
