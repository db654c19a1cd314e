//! The options that all runs have, and their methods: written once, for every builder.

use std::path::{Path, PathBuf};

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_read::Source;

use super::conflicts::{refuse_inputs, refuse_unreadable};
use super::inputs::Inputs;
use super::options::Job;
use super::progress::RunProgress;
use super::setting::Setting;

/// Options that all jobs share. The rows of a job determine which of them it takes.
#[derive(Debug, Clone, Default)]
pub struct Common {
    pub(super) inputs: Inputs,
    pub(super) temp_dir: Option<PathBuf>,
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<usize>,
    /// By default [`CHUNK`], or a value that suits the job.
    pub(super) chunk_bytes: Option<usize>,
    pub(super) verify: bool,
    pub(super) progress: RunProgress,
}

/// The bytes that most jobs read at once.
const CHUNK: usize = 1 << 20;

impl Common {
    /// Sets one of these options, if the job has it.
    pub(super) fn put(&mut self, setting: &Setting, job: Job) -> Result<bool> {
        if job.row(setting.option()).is_none() {
            return Ok(false);
        }
        match setting.option() {
            OptionName::Inputs => self.inputs.set_names(setting.texts()),
            OptionName::TempDir => self.temp_dir = Some(setting.path()),
            OptionName::Memory => self.memory = Some(setting.bytes()?),
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = Some(setting.length()?),
            OptionName::Verify => self.verify = setting.is_on()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The values of options for the rules.
    pub(super) fn given(&self, option: OptionName) -> Option<&'static str> {
        match option {
            OptionName::TempDir => self.temp_dir.as_ref().map(|_| ""),
            OptionName::Verify => self.verify.then_some(""),
            _ => None,
        }
    }

    /// The numbers, which have bounds.
    pub(super) fn numbers(&self) -> [(OptionName, Option<u64>); 3] {
        let length = |n: Option<usize>| n.map(|n| n as u64);
        [
            (OptionName::Threads, length(self.threads)),
            (OptionName::Memory, self.memory),
            (OptionName::ChunkBytes, length(self.chunk_bytes)),
        ]
    }

    /// The bytes to read at once.
    pub(super) fn chunk(&self) -> usize {
        self.chunk_bytes.unwrap_or(CHUNK)
    }

    /// Refuses a table, whose file is `None` for standard output, and another output that would destroy an input, or
    /// that cannot be verified.
    pub(super) fn refuse_outputs(&self, sources: &[Source], outputs: [Option<&Path>; 2]) -> Result<()> {
        if self.verify {
            refuse_unreadable(outputs.into_iter().flatten())?;
        }
        refuse_inputs(sources, outputs)
    }

    /// The directory of temporary files.
    pub(super) fn temp_dir(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// Methods of a builder: by the names of those that several builders have, or with the option of a part of the builder
/// that each sets.
macro_rules! setters {
    ($($name:ident),+) => { $(setters!(@$name);)+ };
    (@inputs) => {
        /// Files, patterns such as `logs/*.gz`, or `-` for standard input.
        pub fn inputs(mut self, inputs: impl IntoIterator<Item: Into<std::ffi::OsString>>) -> Self {
            self.common.inputs.set_names(inputs);
            self
        }

        /// Adds the contents of `reader` to the inputs, after those given before. They are read as a file is: the
        /// first bytes show the compression and the format, and records are numbered from 1. Messages and the column
        /// `source` call them `name`. Parquet and WACZ, which are read from their end, need a file.
        ///
        /// A reader is read once, by one of the builders that were cloned from this one. Its panic is an error of the
        /// input. Rows are made of a whole chunk, which has 1 MiB by default: where bytes come slowly, a smaller
        /// [`chunk`](Self::chunk) gives them sooner.
        pub fn inputs_from(
            mut self,
            reader: impl std::io::Read + Send + 'static,
            name: impl Into<String>,
        ) -> Self {
            self.common.inputs.add_reader(reader, name);
            self
        }
    };
    (@temp_dir) => {
        /// The directory of temporary files; by default the system's.
        pub fn temp_dir(mut self, directory: impl Into<std::path::PathBuf>) -> Self {
            self.common.temp_dir = Some(directory.into());
            self
        }
    };
    (@memory) => {
        /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread if that is more.
        pub fn memory(mut self, bytes: u64) -> Self {
            self.common.memory = Some(bytes);
            self
        }
    };
    (@threads) => {
        /// The number of threads; by default the number of processors. The result does not depend on it.
        pub fn threads(mut self, threads: usize) -> Self {
            self.common.threads = Some(threads);
            self
        }
    };
    (@chunk) => {
        /// The number of bytes to read at once.
        pub fn chunk(mut self, bytes: usize) -> Self {
            self.common.chunk_bytes = Some(bytes);
            self
        }
    };
    (@verify) => {
        /// Reads the output back when it is complete, and publishes it only if it holds everything that was read or
        /// counted.
        pub fn verify(mut self, verify: bool) -> Self {
            self.common.verify = verify;
            self
        }
    };
    (@progress) => {
        /// The handle with which another thread watches the run's progress and stops it.
        pub fn progress(mut self, progress: &$crate::run::RunProgress) -> Self {
            self.common.progress = progress.clone();
            self
        }
    };
    (@read_as) => {
        /// How the records are read.
        pub fn read_as(self, options: $crate::run::InputOptions) -> Self {
            Self { input: options, ..self }
        }
    };
    (@archives) => {
        setters!(input: format($crate::run::InputFormat), records($crate::read::format::RecordTypes), skip_bodies(bool));
    };
    (@damage) => {
        setters!(input: on_damage($crate::read::OnDamage));
    };
    (@normalize) => {
        /// How references are read: specification, base, level and repair; and what is hidden of them.
        pub fn normalize(self, options: $crate::run::NormalizeOptions) -> Self {
            Self { normalize: options, ..self }
        }
    };
    (@write_to) => {
        /// Where the table goes.
        pub fn write_to(self, output: $crate::run::Output) -> Self {
            Self { output: Some(output), ..self }
        }
    };
    (@run) => {
        /// Reads everything, and publishes the outputs on success.
        ///
        /// # Errors
        /// `Usage` if options contradict each other, or outputs exist; `Io` or `Data` if an input cannot be read or is
        /// damaged, or an output cannot be written; `InvalidRecord` if a record that is not a URI reference is to end
        /// the run; `Stopped` if [`RunProgress::stop`](crate::run::RunProgress::stop) was called. Then nothing is
        /// published.
        pub fn run(self) -> $crate::Result<<Self as $crate::run::Job>::Stats> {
            self.prepare()?.run()
        }

        /// The first step of [`run`](Self::run): validates the options, reads the beginning of the inputs, and checks
        /// that outputs can be written.
        ///
        /// # Errors
        /// Fails as [`run`](Self::run) does.
        pub fn prepare(self) -> $crate::Result<$crate::run::Prepared<Self>> {
            $crate::run::Prepared::new(self, None)
        }
    };
    (@run_into) => {
        /// Like [`run`](Self::run), but gives the rows of the table to the caller's sink; the run must not name an
        /// output.
        ///
        /// # Errors
        /// Fails as [`run`](Self::run) does, and if the sink fails.
        pub fn run_into(self, sink: $crate::run::MakeSink<'_>) -> $crate::Result<<Self as $crate::run::Job>::Stats> {
            $crate::run::Prepared::new(self, Some(sink))?.run()
        }

        /// Starts the run in threads of its own, and gives the rows of the table to the caller, batch by batch; the run
        /// must not name an output. Texts are views into the bytes that were read. In a sorted table they are plain
        /// strings.
        ///
        /// # Errors
        /// Fails as [`prepare`](Self::prepare) does; later errors are the last item of the iterator.
        pub fn into_batches(self) -> $crate::Result<$crate::run::Batches> {
            $crate::run::Batches::of(self)
        }

        /// The same as an asynchronous stream. Also the inputs are opened in another thread: nothing blocks.
        ///
        /// # Errors
        /// As [`into_batches`](Self::into_batches).
        #[cfg(feature = "futures")]
        pub async fn into_stream(self) -> $crate::Result<$crate::run::BatchStream> {
            $crate::run::BatchStream::of(self, None).await
        }

        /// The same stream in another form. `shape` gets the schema of the run's batches, in which texts are views, and
        /// gives the schema of the stream and what makes its batches. The run's threads call that, and the batches of a
        /// sorted table have plain strings there.
        ///
        /// # Errors
        /// As [`into_batches`](Self::into_batches).
        #[cfg(feature = "futures")]
        pub async fn into_stream_as(
            self,
            shape: impl FnOnce(arrow_schema::SchemaRef) -> (arrow_schema::SchemaRef, $crate::run::Finish) + Send + 'static,
        ) -> $crate::Result<$crate::run::BatchStream> {
            $crate::run::BatchStream::of(self, Some(Box::new(shape))).await
        }
    };
    (@write_to_file) => {
        /// The file to write to, instead of standard output.
        pub fn write_to(mut self, file: impl Into<std::path::PathBuf>) -> Self {
            self.output.path = Some(file.into());
            self
        }

        /// Replaces an existing output.
        pub fn force(mut self, force: bool) -> Self {
            self.output.force = force;
            self
        }
    };
    (input: $($name:ident($type:ty)),+) => { $(
        #[doc = concat!("See [`InputOptions::", stringify!($name), "`](crate::run::InputOptions::", stringify!($name), ").")]
        pub fn $name(self, value: $type) -> Self {
            Self { input: self.input.$name(value), ..self }
        }
    )+ };
}

pub(super) use setters;
