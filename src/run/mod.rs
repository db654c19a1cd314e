//! Whole jobs, from files to files, by typed options: all runs are assembled here. The command line and the Python
//! package use the same builders.
//!
//! ```
//! use std::io::Write;
//! use urimill::Level;
//! use urimill::run::{Conversion, NormalizeOptions, Output};
//!
//! let folder = tempfile::tempdir()?;
//! let log = folder.path().join("access.log.gz");
//! let mut gzip = flate2::write::GzEncoder::new(std::fs::File::create(&log)?, flate2::Compression::fast());
//! writeln!(gzip, "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a/../b HTTP/1.1\" 200 512")?;
//! gzip.finish()?;
//!
//! let stats = Conversion::new()
//!     .inputs([log])
//!     .normalize(NormalizeOptions::new().base("http://example.com/").level(Level::Syntax))
//!     .columns(["+surt"])
//!     .sort_by(["surt"])
//!     .verify(true)
//!     .write_to(Output::parquet(folder.path().join("urls.parquet")))
//!     .run()?;
//! assert_eq!((stats.records, stats.rejects, stats.input_format), (1, 0, "clf"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Conversion::validate`] has all rules about options that exclude or need each other; its errors name the options:
//!
//! ```
//! use urimill::OptionName;
//! use urimill::run::{Conversion, Output};
//!
//! let error = Conversion::new().temp_dir("/tmp").write_to(Output::to("urls.csv")).validate().expect_err("no sort");
//! assert_eq!(error.to_string(), "temp_dir needs a sorted table: give sort_by");
//! assert_eq!(error.option(), Some(OptionName::TempDir));
//! ```
//!
//! Inputs may be readers, and the caller may take the rows as record batches, in the order of the table:
//!
//! ```
//! use urimill::run::Conversion;
//!
//! let body = std::io::Cursor::new("http://example.com/a/../b\n");
//! let mut rows = 0;
//! for batch in Conversion::new().inputs_from(body, "upload").columns(["source", "uri"]).into_batches()? {
//!     rows += batch?.num_rows();
//! }
//! assert_eq!(rows, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A library has no signals and no terminal: [`RunProgress`] reports the progress of a run to another thread, and stops
//! it.

mod batches;
mod budget;
mod cc_index;
mod check;
mod choices;
mod columns;
mod common;
mod conflicts;
mod conversion;
mod convert;
mod dedupe;
mod edges;
mod extract;
mod format_file;
mod format_samples;
mod index;
mod input_format;
mod input_options;
mod inputs;
mod job;
mod links;
mod normalize_options;
mod opening;
pub mod options;
mod output;
mod progress;
mod relativize;
mod report;
mod resolve;
mod saved_format;
mod setting;
mod sort;
mod states;
mod stats;
mod stats_json;
mod texts;
mod top;
mod uri_fields;
mod validate;

#[cfg(feature = "futures")]
pub use batches::BatchStream;
pub use batches::{Batches, Finish};
pub use budget::{Threads, parse_bytes};
pub use cc_index::TableSchema;
pub use check::{Check, Finding, FindingKind};
pub use choices::{ExtractFormat, IndexForm, OnInvalid};
#[doc(hidden)]
pub use conflicts::refuse_stdout_as_input;
pub use conversion::Conversion;
pub use dedupe::Dedupe;
pub use edges::Edges;
pub use extract::{Extract, ExtractStats};
pub use format_file::FormatFile;
pub use index::Index;
pub use input_format::{InputFormat, InputOptions};
pub use job::{Job, Prepared};
pub use links::Links;
pub use normalize_options::{NormalizeOptions, OnDisagreement};
pub use output::{MakeSink, Output};
pub use progress::RunProgress;
pub use relativize::Relativize;
pub use report::{Report, Reported};
pub use resolve::{Resolve, ResolveStats};
pub use setting::{Setting, Settings};
pub use stats::{CodeStats, DistinctStats, EdgesStats, IndexStats, OutputStats, RejectsStats, Stats};
pub use texts::{AnswerTexts, TextEnd, TextStats, Unanswered};
pub use top::Top;

pub use urimill_archives::index::{LeftOut, Like};
pub use urimill_base::timing::StageTimes;
pub use urimill_pages::PageKind;
pub use urimill_pipeline::edges::{LinkCounts, Node};
pub use urimill_pipeline::verify::Verified;
pub use urimill_read::format::{Header, Keep, RecordTypes};
pub use urimill_read::{Encoding, LastLine, OnDamage, PageCounts};
pub use urimill_write::{Compression, Format as OutputFormat};
