//! Reads files and writes a table: `convert OUTPUT INPUT...`, with the defaults of `urimill normalize`.

use std::env::args;
use std::process::ExitCode;

use urimill::run::{Conversion, Output};

fn main() -> ExitCode {
    let mut arguments = args().skip(1);
    let output = arguments.next().unwrap_or_else(|| "urls.parquet".to_owned());
    match Conversion::new().inputs(arguments).write_to(Output::to(output)).run() {
        Ok(stats) => println!("{} records, {} of them rejects", stats.records, stats.rejects),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
