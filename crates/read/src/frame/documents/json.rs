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
                    self.open.json = if self.enter(path)? { Place::Within } else { Place::Lost };
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
    fn enter(&mut self, path: &[&str]) -> Result<bool> {
        let Some((name, path)) = path.split_first() else {
            let is_array = self.ahead()[0] == b'[';
            self.at += usize::from(is_array);
            return Ok(is_array);
        };
        if self.ahead()[0] != b'{' {
            return Ok(false);
        }
        self.at += 1;
        loop {
            let mut scan = self.scan();
            if !self.pass_space()? || self.ahead()[0] != b'"' || !self.value(&mut scan)? {
                return Ok(false);
            }
            let is_it = self.ahead()[..scan.at]
                .strip_prefix(b"\"")
                .is_some_and(|key| key.strip_suffix(b"\"").is_some_and(|key| key == name.as_bytes()));
            self.at += scan.at;
            if !self.pass_space()? || self.ahead()[0] != b':' {
                return Ok(false);
            }
            self.at += 1;
            if !self.pass_space()? {
                return Ok(false);
            }
            if is_it {
                return self.enter(path);
            }
            let mut scan = self.scan();
            if !self.value(&mut scan)? {
                return Ok(false);
            }
            self.at += scan.at;
            if !self.pass_space()? || self.ahead()[0] != b',' {
                return Ok(false);
            }
            self.at += 1;
        }
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

    fn no_array(&mut self, path: &[&str]) -> Result<bool> {
        if self.open.next_record > 1 || !self.framed_records.is_empty() || self.archive.force_format {
            return match self.pass_space()? {
                true => self.stray(|bytes| memchr2(b'{', b'[', bytes)),
                // It began, and ended before its array did.
                false => Err(self.cut_off(&self.scan(), "the rest of the document")),
            };
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
