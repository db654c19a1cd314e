//! Opens the inputs of a run and detects their formats: shared by every run that reads records. Comes after `validate`
//! and before the pipeline.

use std::sync::Arc;

use urimill_base::error::Result;
use urimill_read::{ChunkOptions, Chunker, Format, ReadChecksums, RecordSource, Source};

use super::input_format::InputOptions;
use super::job::Running;
use super::progress::RunProgress;

/// The sources to open, and the options for it; [`InputOptions::opening`] makes one.
pub(super) struct Opening<'a> {
    sources: Vec<Source>,
    pub(super) options: ChunkOptions,
    progress: &'a RunProgress,
}

/// Inputs whose beginnings have been read.
pub struct Opened {
    pub(super) record_source: RecordSource,
    pub(super) checksums: Option<Arc<ReadChecksums>>,
}

impl InputOptions {
    /// These sources, whose records have at most `max_record` bytes, read as `format` with these options and those of
    /// the run.
    pub(super) fn opening<'a>(
        &self,
        sources: Vec<Source>,
        (format, max_record): (Format, usize),
        running: &'a Running,
    ) -> Opening<'a> {
        let common = &running.common;
        let options = ChunkOptions {
            chunk_bytes: common.chunk(),
            max_record,
            format,
            checks_format: true,
            threads: running.threads.given,
            memory: running.memory.unwrap_or(self.sources.memory),
            checksums: common.verify.then(Arc::default),
            damages: running.damages.clone(),
            ..self.sources.clone()
        };
        Opening { sources, options, progress: &common.progress }
    }
}

impl Opening<'_> {
    /// # Errors
    /// Fails as [`Chunker::begin`] does.
    pub(super) fn open(self) -> Result<Opened> {
        let size = || self.sources.iter().map(Source::size).sum::<Option<u64>>();
        self.progress.total.get_or_init(size);
        let checksums = self.options.checksums.clone();
        let chunker = Chunker::new(self.sources, self.options, self.progress.stored.clone());
        let record_source = chunker.begin()?;
        if let Some(guess) = record_source.format().guess() {
            self.progress.guess.get_or_init(|| guess);
        }
        Ok(Opened { record_source, checksums })
    }
}
