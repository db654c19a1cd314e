//! A table as a directory of files: the options that say so, and what such an output must not do.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use clap::Args;

use super::values::{Budget, bytes_within};
use crate::error::{Error, Result};
use crate::files;
use crate::input::Source;
use crate::output::{DirectoryOptions, Folder, Written};

/// The options.
#[derive(Debug, Args)]
pub(super) struct Layout {
    /// Write a directory of files, whose rows are divided by the values of columns: DIR/scheme=http/part-00000.parquet
    /// for scheme. The files do not have these columns: readers take them from the names, as Hive has them
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    partition_by: Vec<String>,

    /// Write a directory of files that end near this size, as they are stored [default for a directory: 256M]
    #[arg(long, value_name = "BYTES", value_parser = file_size)]
    file_size: Option<u64>,

    /// Memory for the run: what is more to sort goes to temporary files, fewer chunks are on their way at a time, and
    /// inputs that need half of it at once are refused; one long record may take more
    /// [default: 512M, or 64M for each thread where that is more]
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<u64>,

    /// More partitions than this are an error: each is a directory, with a file at least [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_partitions: Option<u32>,
}

/// The summary's name in a directory: readers pass over names that begin so.
pub(super) const SUMMARY: &str = "_summary.json";

fn memory(text: &str) -> Result<u64, String> {
    bytes_within(text, (1 << 20, 1 << 50), "1M up")
}

fn file_size(text: &str) -> Result<u64, String> {
    bytes_within(text, (1 << 10, 1 << 50), "1K up")
}

impl Layout {
    /// The directory to write: if a file of that name ends with a slash, is a directory already, or is to be divided.
    pub(super) fn directory<'a>(&self, output: Option<&'a Path>) -> Result<Option<&'a Path>> {
        let asked = (!self.partition_by.is_empty()).then_some("--partition-by");
        let asked = asked.or(self.file_size.map(|_| "--file-size"));
        match (output, asked) {
            (None, Some(option)) => {
                Err(Error::usage(format!("{option} is for a directory of files: name one with -o DIR/")))
            }
            (None, None) => Ok(None),
            (Some(path), _) => {
                let is_named_so = asked.is_some() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
                let is_one = || {
                    let found = files::find(path).map_err(|e| Error::path("look at", path, e))?;
                    Ok::<_, Error>(found.is_some_and(|found| found.is_dir()))
                };
                Ok((is_named_so || is_one()?).then_some(path))
            }
        }
    }

    /// Refuses an option that says something of what is not done.
    pub(super) fn check(&self) -> Result<()> {
        if self.max_partitions.is_some() && self.partition_by.is_empty() {
            return Err(Error::usage("--max-partitions is for tables that are divided: give --partition-by"));
        }
        Ok(())
    }

    /// The columns that divide the table.
    pub(super) fn partition_by(&self) -> &[String] {
        &self.partition_by
    }

    /// How the memory is shared out among so many threads and what waits.
    pub(super) fn budget(&self, threads: usize) -> Budget {
        Budget::new(self.memory, threads)
    }

    /// Bytes, whatever the number of threads: for what decides on the output.
    pub(super) fn memory(&self) -> usize {
        self.memory
            .map_or(DirectoryOptions::default().memory, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// What the sink is told; it counts complete files in `made`. Where rows are sorted, most of the memory is for that,
    /// and partitions come one behind the other.
    pub(super) fn options(&self, threads: usize, made: &Arc<AtomicU64>, sorted: bool) -> DirectoryOptions {
        let defaults = DirectoryOptions::default();
        let memory = if sorted { self.memory() / 4 } else { self.memory() };
        DirectoryOptions {
            partition_by: self.partition_by.clone(),
            file_bytes: self.file_size.unwrap_or(defaults.file_bytes),
            memory,
            max_partitions: self.max_partitions.map_or(defaults.max_partitions, |most| most as usize),
            threads,
            made: Arc::clone(made),
        }
    }
}

/// Refuses a directory that holds what would be lost with the old one: inputs, and the table of rejects.
pub(super) fn refuse_inside(directory: &Path, sources: &[Source], rejects: Option<&Path>) -> Result<()> {
    let canonical =
        |path: &Path| files::found(files::canonicalize(path)).map_err(|e| Error::path("look at", path, e));
    let Some(outer) = canonical(directory)? else { return Ok(()) };
    let is_inside =
        |path: &Path| Ok::<_, Error>(canonical(path)?.is_some_and(|path| path.starts_with(&outer)));
    for source in sources {
        if let Source::File(path) = source
            && is_inside(path)?
        {
            return Err(Error::usage(format!(
                "cannot write the directory {}: the input {} is in it; name another directory",
                directory.display(),
                path.display()
            )));
        }
    }
    let place = rejects.map(|path| path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new(".")));
    match (rejects, place) {
        (Some(rejects), Some(place)) if is_inside(place)? => Err(Error::usage(format!(
            "cannot write {}: it is in the directory of the table; name a file beside it",
            rejects.display()
        ))),
        _ => Ok(()),
    }
}

/// What became of a directory.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) files: Vec<Written>,
    pub(super) partitions: u64,
}

impl Laid {
    pub(super) fn of(folder: &Folder) -> Self {
        let files = folder.files().to_vec();
        let mut directories: Vec<&str> =
            files.iter().filter_map(|file| Some(file.path.rsplit_once('/')?.0)).collect();
        // Files are in the order of their paths, and so are these.
        directories.dedup();
        let partitions = directories.len() as u64;
        Laid { files, partitions }
    }

    /// A sentence about a great many small files, which every reader has to open.
    pub(super) fn warning(&self) -> Option<String> {
        let bytes: u64 = self.files.iter().map(|file| file.bytes).sum();
        let files = self.files.len() as u64;
        let average = bytes / files.max(1);
        (files > 1000 && average < 1 << 20).then(|| {
            format!(
                "wrote {files} files of {} KiB on average, which readers take long to open: partition by columns with \
                 fewer values, or give more --memory",
                average >> 10
            )
        })
    }
}
