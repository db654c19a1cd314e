//! Opens the inputs of a run and detects their formats: shared by every run that reads records. Runs after `validate`,
//! before the pipeline.

use std::sync::Arc;

use super::input_format::InputOptions;
use super::job::Running;
use crate::error::Result;
use crate::read::{ChunkOptions, Chunker, Format, InputDigests, ReadChecksums, RecordSource, Source};

/// What is opened, and how; [`InputOptions::opening`] makes one.
pub(super) struct Opening<'a> {
    pub(super) sources: Vec<Source>,
    pub(super) format: Format,
    /// How records are read.
    pub(super) input: InputOptions,
    /// How many bytes are read at once, and the longest record.
    pub(super) chunk_bytes: usize,
    pub(super) max_record: usize,
    /// Bytes for the part of a table that is held at once.
    pub(super) memory: Option<usize>,
    /// Whether somebody waits for rows while the input is written.
    pub(super) is_live: bool,
    /// Where the digest of each source goes.
    pub(super) digests: Option<InputDigests>,
    /// Whether checksums of the input are computed.
    pub(super) verify: bool,
    /// Whether the format is certain.
    pub(super) force_format: bool,
    pub(super) running: &'a Running,
}

/// Inputs whose beginning has been read.
pub struct Opened {
    pub(super) record_source: RecordSource,
    pub(super) checksums: Option<Arc<ReadChecksums>>,
}

impl InputOptions {
    /// These sources, whose records have at most `max_record` bytes: read as `format`, by these options and those of the
    /// run.
    pub(super) fn opening<'a>(
        &self,
        sources: Vec<Source>,
        (format, max_record): (Format, usize),
        running: &'a Running,
    ) -> Opening<'a> {
        let common = &running.common;
        Opening {
            sources,
            format,
            input: self.clone(),
            chunk_bytes: common.chunk(),
            max_record,
            memory: running.memory,
            is_live: false,
            digests: None,
            verify: common.verify,
            force_format: false,
            running,
        }
    }
}

impl Opening<'_> {
    /// # Errors
    /// Fails as [`Chunker::begin`] does.
    pub(super) fn open(self) -> Result<Opened> {
        let size = || self.sources.iter().map(Source::size).sum::<Option<u64>>();
        let progress = &self.running.common.progress;
        progress.total.get_or_init(size);
        let checksums: Option<Arc<ReadChecksums>> = self.verify.then(Arc::default);
        let chunks = ChunkOptions {
            chunk_bytes: self.chunk_bytes,
            max_record: self.max_record,
            ..ChunkOptions::default()
        };
        let mut chunker = Chunker::new(self.sources, chunks, progress.stored.clone())
            .with_format(self.format)
            .with_threads(self.running.threads.given)
            .skipping_bodies(self.input.skips_bodies)
            .with_last_line(self.input.last_line)
            .skipping_lines(self.input.skip_lines)
            .with_encoding(self.input.encoding)
            .with_damage(self.input.on_damage, self.running.damages.clone())
            .with_checksums(checksums.clone())
            .live(self.is_live)
            .with_digests(self.digests)
            .format_check();
        if let Some(bytes) = self.memory {
            chunker = chunker.with_memory(bytes);
        }
        let chunker = if self.force_format { chunker.forcing_format() } else { chunker };
        Ok(Opened { record_source: chunker.begin()?, checksums })
    }
}
