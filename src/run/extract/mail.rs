//! Finds URIs in mail: in the decoded texts of messages.

use std::io::Cursor;
use std::sync::Arc;

use urimill_base::error::{Error, Result};
use urimill_columns::batch;
use urimill_pages::message::{each_text, parsed, uri};
use urimill_pages::{PageKind, Pages};
use urimill_read::format::Keep;
use urimill_read::{Chunk, ChunkOptions, Chunker, Mail, Source};
use urimill_write::Target;

use super::lines::Lines;
use super::records::Searcher;
use super::{Extract, LONGEST, Page, Search};

/// The bytes of mail taken from a stream, which cannot be read again.
const MOST_OF_STREAM: usize = 64 << 20;

impl Extract {
    /// Searches a source of mail that begins with `first`; `rest` reads the bytes after that.
    pub(super) fn mail(
        &self,
        (source, mail): (Source, Mail),
        mut first: Vec<u8>,
        mut rest: impl FnMut(&mut [u8]) -> Result<usize>,
        search: &Search<'_>,
        target: &mut Target,
    ) -> Result<Page> {
        let kind = match mail {
            Mail::Message => PageKind::Mail,
            Mail::Mailbox => PageKind::Mbox,
        };
        let options = batch::Options { max_record: LONGEST, ..batch::Options::default() };
        let format = Pages::new(kind, &Keep::None, None, &options)?.into();
        if source.size().is_some() {
            return self.records(vec![source], format, search, target);
        }
        let mut piece = vec![0; 64 << 10];
        loop {
            match rest(&mut piece)? {
                0 => break,
                read => first.extend_from_slice(&piece[..read]),
            }
            if first.len() > MOST_OF_STREAM {
                return Err(Error::usage(format!(
                    "{} is mail of more than {} MiB: give it as a file",
                    source.name(),
                    MOST_OF_STREAM >> 20
                )));
            }
        }
        let options =
            ChunkOptions { max_record: LONGEST, format, force_format: true, ..ChunkOptions::default() };
        let chunker =
            Chunker::from_reader(source.name(), Box::new(Cursor::new(first)), options, Arc::default());
        self.search_records(chunker.begin()?, search, target)
    }
}

impl Searcher<'_> {
    /// Searches the messages of a chunk.
    pub(super) fn messages(&self, lines: &mut Lines<'_, '_>, chunk: &Chunk) {
        for block in chunk.blocks() {
            let is_in_mailbox = block.bytes.starts_with(b"From ");
            let line = memchr::memchr(b'\n', block.bytes).filter(|_| is_in_mailbox).map_or(0, |end| end + 1);
            let Some((message, is_cut)) = parsed(&block.bytes[line..]) else {
                // Without a header, or empty: not mail.
                self.search(lines, block.bytes, (chunk.source, block.record), None);
                continue;
            };
            lines.page.cut += u64::from(is_cut || block.is_cut);
            let of = uri(&message);
            let of = of.as_deref().map(str::as_bytes);
            each_text(&message, &mut |text| {
                let options = if text.is_html { self.markup } else { self.options };
                self.search_as(options, lines, text.text, (chunk.source, block.record), of);
            });
        }
    }
}
