//! The options that all runs have, and their methods: written once, for every builder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::conflicts::{refuse_inputs, refuse_unreadable};
use super::options::Job;
use super::progress::RunProgress;
use super::setting::Setting;
use crate::error::Result;
use crate::option_name::OptionName;
use crate::read::Source;

/// The options that no job has for itself. The rows of a job say which of them it takes.
#[derive(Debug, Clone, Default)]
pub struct Common {
    pub(super) inputs: Vec<OsString>,
    pub(super) temp_dir: Option<PathBuf>,
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<usize>,
    /// By default [`CHUNK`], or what suits the job.
    pub(super) chunk_bytes: Option<usize>,
    pub(super) verify: bool,
    pub(super) progress: RunProgress,
}

/// How much most jobs read at once.
const CHUNK: usize = 1 << 20;

impl Common {
    /// Sets one of these options, if it is one of the job's.
    pub(super) fn put(&mut self, setting: &Setting, job: Job) -> Result<bool> {
        if job.row(setting.option()).is_none() {
            return Ok(false);
        }
        match setting.option() {
            OptionName::Inputs => self.inputs = setting.texts(),
            OptionName::TempDir => self.temp_dir = Some(setting.path()),
            OptionName::Memory => self.memory = Some(setting.bytes()?),
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = Some(setting.length()?),
            OptionName::Verify => self.verify = setting.is_on()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What the rules of options ask for.
    pub(super) fn given(&self, option: OptionName) -> Option<&'static str> {
        match option {
            OptionName::TempDir => self.temp_dir.as_ref().map(|_| ""),
            OptionName::Verify => self.verify.then_some(""),
            _ => None,
        }
    }

    /// Its numbers, which have bounds.
    pub(super) fn numbers(&self) -> [(OptionName, Option<u64>); 3] {
        let length = |n: Option<usize>| n.map(|n| n as u64);
        [
            (OptionName::Threads, length(self.threads)),
            (OptionName::Memory, self.memory),
            (OptionName::ChunkBytes, length(self.chunk_bytes)),
        ]
    }

    /// How much is read at once.
    pub(super) fn chunk(&self) -> usize {
        self.chunk_bytes.unwrap_or(CHUNK)
    }

    /// Refuses a table, whose file is `None` for standard output, and another output that would destroy an input, or
    /// that cannot be verified as is asked for.
    pub(super) fn refuse_outputs(&self, sources: &[Source], outputs: [Option<&Path>; 2]) -> Result<()> {
        if self.verify {
            refuse_unreadable(outputs.into_iter().flatten())?;
        }
        refuse_inputs(sources, outputs)
    }

    /// Where temporary files go.
    pub(super) fn temp_dir(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// Methods of a builder: by the names of those that several builders have, or with the option that each sets of a part
/// of the builder, as that part has it.
macro_rules! setters {
    ($($name:ident),+) => { $(setters!(@$name);)+ };
    (@inputs) => {
        /// Files, patterns such as `logs/*.gz`, or `-` for standard input.
        pub fn inputs(mut self, inputs: impl IntoIterator<Item: Into<std::ffi::OsString>>) -> Self {
            self.common.inputs = inputs.into_iter().map(Into::into).collect();
            self
        }
    };
    (@temp_dir) => {
        /// Where temporary files go; by default the system's place for them.
        pub fn temp_dir(mut self, directory: impl Into<std::path::PathBuf>) -> Self {
            self.common.temp_dir = Some(directory.into());
            self
        }
    };
    (@memory) => {
        /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread where that is more.
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
        /// How much is read at once, in bytes.
        pub fn chunk(mut self, bytes: usize) -> Self {
            self.common.chunk_bytes = Some(bytes);
            self
        }
    };
    (@verify) => {
        /// Reads the output back when it is complete, and publishes it only if it holds what was read or counted.
        pub fn verify(mut self, verify: bool) -> Self {
            self.common.verify = verify;
            self
        }
    };
    (@progress) => {
        /// What another thread may look at while the run goes on, and how it stops it.
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
        /// Reads everything, and publishes the outputs when all is well.
        ///
        /// # Errors
        /// `Usage` where the options do not go together, or outputs exist; `Io` or `Data` where an input cannot be read
        /// or is damaged, or an output cannot be written; `InvalidRecord` where a record that is no URI reference is to
        /// end the run; `Stopped` where [`RunProgress::stop`](crate::run::RunProgress::stop) was called. Nothing is
        /// published then.
        pub fn run(self) -> $crate::Result<<Self as $crate::run::Job>::Stats> {
            self.prepare()?.run()
        }

        /// [`run`](Self::run) up to its first record: the options are validated, the beginning of the inputs is read, and
        /// outputs can be written.
        ///
        /// # Errors
        /// Fails as [`run`](Self::run) does.
        pub fn prepare(self) -> $crate::Result<$crate::run::Prepared<Self>> {
            $crate::run::Prepared::new(self, None)
        }
    };
    (@run_into) => {
        /// [`run`](Self::run) where the rows of the table go to a sink of the caller's: no output is named then.
        ///
        /// # Errors
        /// Fails as [`run`](Self::run) does, and where the sink fails.
        pub fn run_into(self, sink: $crate::run::MakeSink<'_>) -> $crate::Result<<Self as $crate::run::Job>::Stats> {
            $crate::run::Prepared::new(self, Some(sink))?.run()
        }
    };
    (@write_to_file) => {
        /// The file to write to, instead of standard output.
        pub fn write_to(mut self, file: impl Into<std::path::PathBuf>) -> Self {
            self.output.path = Some(file.into());
            self
        }

        /// Replaces an output that exists.
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
