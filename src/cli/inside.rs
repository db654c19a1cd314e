//! `urimill normalize` for a program that urimill runs within: the same arguments and defaults, and nothing that
//! belongs to a process, such as signals, a terminal or standard error. Beside the command line; bindings start here.

use std::ffi::OsString;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use arrow::datatypes::SchemaRef;
use clap::Parser;
use serde_json::Value;

use super::normalize::{self, run_within};
use crate::error::{Error, Result};
use crate::output::Sink;
use crate::pipeline::Progress;
use crate::simd::Isa;

/// What another thread may know of a run, and how it stops it.
#[derive(Debug, Default)]
pub struct Running {
    /// Bytes and records so far, and the switch that ends the run.
    pub progress: Arc<Progress>,
    /// Bytes of the inputs that have been read, as they are stored.
    pub stored: Arc<AtomicU64>,
    /// How many of them there are; nothing before that is known, and `None` inside where it cannot be.
    pub total: OnceLock<Option<u64>>,
}

/// Makes the sink that takes the table, once its schema is known, which is the one inside. Batches have it, too; where
/// they come sorted they have the types of [`exit_schema`](crate::output::exit_schema).
pub type MakeSink<'a> = Box<dyn FnOnce(SchemaRef) -> Result<Box<dyn Sink>> + 'a>;

/// Where a run belongs.
pub(super) enum Host<'a> {
    /// The process is there for it.
    Program,
    /// It is a part of something larger, which may take the table itself.
    Other(&'a Running, Option<MakeSink<'a>>),
}

#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Alone {
    #[command(flatten)]
    arguments: normalize::Arguments,
}

/// Does what `urimill normalize` does with these arguments, the subcommand's name not among them, and answers the
/// summary that `--summary json` prints. Signals, the progress bar and standard error are left to the caller.
///
/// ```
/// use urimill::cli::inside::{Running, convert};
///
/// let folder = tempfile::tempdir()?;
/// let (list, table) = (folder.path().join("list.txt"), folder.path().join("table.parquet"));
/// std::fs::write(&list, "http://example.com/\n/a b\n")?;
/// let arguments = ["--output".into(), table.clone().into(), "--".into(), list.into()];
/// let summary = convert(arguments, &Running::default())?;
/// assert_eq!((summary["records"].as_u64(), summary["rejects"].as_u64()), (Some(2), Some(1)));
/// assert!(table.is_file());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the command; usage where an argument is wrong; [`Stopped`](crate::ErrorKind::Stopped) where `running`
/// was told to stop. Nothing is published then.
pub fn convert(arguments: impl IntoIterator<Item = OsString>, running: &Running) -> Result<Value> {
    run_within(&parse(arguments)?, Host::Other(running, None), |report| report.json())
}

/// [`convert`] where the table goes to a sink of the caller's.
///
/// # Errors
/// Those of [`convert`] and of the sink; usage where the arguments name an output or its format.
pub fn read(
    arguments: impl IntoIterator<Item = OsString>,
    running: &Running,
    sink: MakeSink<'_>,
) -> Result<Value> {
    // A format that holds every column, as sinks do.
    let arguments = std::iter::once("--to=arrow-stream".into()).chain(arguments);
    let arguments = parse(arguments)?;
    if arguments.names_output() {
        return Err(Error::usage("the table goes to the caller: leave --output away"));
    }
    run_within(&arguments, Host::Other(running, Some(sink)), |report| report.json())
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<normalize::Arguments> {
    Isa::chosen()?;
    match Alone::try_parse_from(arguments) {
        Ok(Alone { arguments }) => Ok(arguments),
        Err(error) => Err(Error::usage(sentence(&error.render().to_string()))),
    }
}

/// What is wrong, without the advice to read the help.
fn sentence(rendered: &str) -> String {
    let lines =
        rendered.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let parts: Vec<_> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    parts.join("; ").trim_start_matches("error: ").to_owned()
}
