//! Options for a table as a directory of files, and a warning about too many files.

use clap::Args;

use super::values::{bytes_within, memory};
use urimill::run::{Conversion, OutputStats};

/// The options.
#[derive(Debug, Args)]
pub(crate) struct Layout {
    /// Write a directory of files, partitioned by the values of columns: DIR/scheme=http/part-00000.parquet
    /// for scheme. The files do not have these columns: readers take them from the directory names (Hive
    /// partitions). COLUMN:hour, COLUMN:day and COLUMN:month partition by a part of a time, COLUMN:hash=64 into 64
    /// shares; the files keep these columns
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    partition_by: Vec<String>,

    /// Write a directory of files of about this size on disk [default for a directory: 256M]
    #[arg(long, value_name = "BYTES", value_parser = file_size)]
    file_size: Option<u64>,

    /// Memory for the run. Rows to sort beyond it go to temporary files, fewer chunks are in flight, and
    /// inputs that need half of it at once are refused; a long record may take more [default: 512M, or 64M
    /// for each thread if that is more]
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<u64>,

    /// The largest number of partitions; more are an error. Each is a directory with at least one file
    /// [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_partitions: Option<u32>,
}

fn file_size(text: &str) -> Result<u64, String> {
    bytes_within(text, (1 << 10, 1 << 50), "1K up")
}

impl Layout {
    /// Bytes of memory for the run.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// The run with these options.
    pub(crate) fn fill(&self, mut run: Conversion) -> Conversion {
        if let Some(bytes) = self.file_size {
            run = run.file_size(bytes);
        }
        if let Some(bytes) = self.memory {
            run = run.memory(bytes);
        }
        if let Some(most) = self.max_partitions {
            run = run.max_partitions(most as usize);
        }
        run.partition_by(&self.partition_by)
    }
}

/// A warning about very many small files, each of which every reader has to open.
pub(crate) fn warning(output: &OutputStats) -> Option<String> {
    let files = output.files.as_ref()?.len() as u64;
    let average = output.bytes / files.max(1);
    (files > 1000 && average < 1 << 20).then(|| {
        format!(
            "wrote {files} files of {} KiB on average, which takes readers long to open: partition by \
             columns with fewer values, or give more --memory",
            average >> 10
        )
    })
}
