//! Fixed work whose instructions benches/guard counts: `guard WORK FILE PASSES` does WORK PASSES times with all lines
//! of FILE, on one thread, with the kernel that `URIMILL_ISA` names; then prints the number of lines.
//!
//! The count for two passes minus that for one is the work alone: reading the file, starting the program and the first
//! allocations cancel out.

use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use arrow::buffer::Buffer;
use arrow::record_batch::RecordBatch;
use urimill::batch::{MAX_ROWS, Normalizer, Options, Origin};
use urimill::grammar::Spec;
use urimill::simd::{Isa, PADDING, Splits, split_lines};
use urimill::write;
use urimill::write::{Compression, Format, SinkOptions, Target};
use urimill::{Error, Level, UriRef, normalize};

/// The number of records at once, the batches' default.
const MAX_RECORD: usize = 1 << 20;

const USAGE: &str = "usage: guard scan|batch|single|normalize|parquet FILE PASSES";

fn main() -> ExitCode {
    if let Err(error) = std::env::var("URIMILL_ISA").map_or(Ok(()), |name| Isa::select(&name)) {
        eprintln!("guard: {error}");
        return ExitCode::FAILURE;
    }
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(lines) => {
            println!("{lines}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("guard: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The number of lines.
fn run(arguments: &[String]) -> Result<usize, String> {
    let [work, file, passes] = arguments else { return Err(USAGE.to_owned()) };
    let passes = passes.parse().map_err(|_| USAGE.to_owned())?;
    let list = List::read(file).map_err(|error| format!("can't read {file}: {error}"))?;
    let done = match work.as_str() {
        "scan" => scan(&list, passes),
        "batch" => batch(&list, passes),
        "single" => single(&list, passes),
        "normalize" => normal_forms(&list, passes),
        "parquet" => parquet(&list, passes),
        _ => return Err(USAGE.to_owned()),
    };
    done.map_err(|error| error.to_string())?;
    Ok(list.lines().count())
}

/// A file in memory as a worker of the pipeline gets it: a newline and [`PADDING`] follow its last line.
struct List {
    buffer: Buffer,
    len: usize,
}

impl List {
    fn read(file: &str) -> std::io::Result<List> {
        let mut bytes = std::fs::read(file)?;
        let len = bytes.len();
        bytes.push(b'\n');
        bytes.resize(len + PADDING, 0);
        Ok(List { buffer: Buffer::from_vec(bytes), len })
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.buffer[..self.len].split(|&byte| byte == b'\n').filter(|line| !line.is_empty())
    }
}

/// Bytes to the components' offsets.
fn scan(list: &List, passes: usize) -> Result<(), Error> {
    let mut splits = Splits::default();
    for _ in 0..passes {
        let mut at = 0;
        while at < list.len {
            splits.clear();
            let how = (Spec::Rfc3986, None);
            at = split_lines(&list.buffer, (at, list.len), MAX_ROWS, MAX_RECORD, how, &mut splits).at;
            black_box(&splits);
        }
    }
    Ok(())
}

/// Bytes to the default table, each batch dropped before the next is made.
fn batch(list: &List, passes: usize) -> Result<(), Error> {
    let mut normalizer = Normalizer::new(Options::default());
    for _ in 0..passes {
        batches(&mut normalizer, list, |batch| drop(black_box(batch)))?;
    }
    Ok(())
}

fn batches(normalizer: &mut Normalizer, list: &List, mut each: impl FnMut(RecordBatch)) -> Result<(), Error> {
    let (mut at, mut first_record) = (0, 1);
    while at < list.len {
        let origin = Origin { first_record, ..Origin::default() };
        let (batch, tally, next) = normalizer.lines(&list.buffer, (at, list.len), origin)?;
        first_record += tally.lines() as i64;
        each(batch);
        at = next;
    }
    Ok(())
}

/// Parses one URI after the other and looks at all components.
fn single(list: &List, passes: usize) -> Result<(), Error> {
    for _ in 0..passes {
        for line in list.lines() {
            let parsed = UriRef::parse(black_box(line)).map(|uri| {
                let authority = (uri.userinfo(), uri.host(), uri.port());
                black_box((uri.scheme(), authority, uri.path(), uri.query(), uri.fragment()));
            });
            black_box(parsed.is_ok());
        }
    }
    Ok(())
}

/// Normalizes one URI after the other to an owned text.
fn normal_forms(list: &List, passes: usize) -> Result<(), Error> {
    for _ in 0..passes {
        for line in list.lines() {
            if let Ok(uri) = UriRef::parse(black_box(line)) {
                black_box(normalize(&uri, Level::Scheme).into_owned());
            }
        }
    }
    Ok(())
}

/// Writes finished batches of the default table to Parquet, uncompressed: the time of a codec is not urimill's.
fn parquet(list: &List, passes: usize) -> Result<(), Error> {
    // The schema that the program uses for Parquet.
    let options = Options { batch_rows: MAX_ROWS, ..Options::default() };
    let schema = options.columns.schema();
    let mut normalizer = Normalizer::new(options);
    let mut ready = Vec::new();
    batches(&mut normalizer, list, |batch| ready.push(batch))?;
    for _ in 0..passes {
        let target = Target::create(Path::new("/dev/null"), true)?;
        let options = SinkOptions { compression: Compression::None, ..SinkOptions::default() };
        let sink = write::create(Format::Parquet, target, schema.clone(), &options)?;
        for batch in &ready {
            sink.write(batch.clone(), &())?;
        }
        black_box(sink.finish()?);
    }
    Ok(())
}
