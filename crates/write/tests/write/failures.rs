//! Errors of the operating system come out of every format as one sentence that names the target.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::path::Path;
use std::process::Command;

use urimill_base::error::{ErrorKind, Result};
use urimill_write::{Format, OutputSize, Target, create};

use super::table::{batches, drive, options, schema};

fn write_to(path: &Path, format: Format) -> Result<OutputSize> {
    let target = Target::create(path, false)?;
    drive(create(format, target, schema(), &options())?, &batches(&[9000; 3]), 2)
}

#[test]
fn a_full_disk_is_an_error() {
    for format in Format::ALL {
        let error = write_to(Path::new("/dev/full"), format).expect_err("a full device");
        assert_eq!(error.kind(), ErrorKind::Io, "{}: {error}", format.name());
        assert_eq!(
            error.to_string(),
            "cannot write /dev/full: no space is left on the device; free some, or write elsewhere",
            "{}",
            format.name()
        );
    }
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let dir = tempfile::tempdir().expect("a directory");
    for format in Format::ALL {
        let fifo = dir.path().join(format.name());
        assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
        let reader = {
            let fifo = fifo.clone();
            // Opened and closed: every write meets a closed pipe, sooner or later.
            std::thread::spawn(move || drop(File::open(fifo).expect("the FIFO")))
        };
        let target = Target::create(&fifo, false).expect("a FIFO needs no --force");
        reader.join().expect("the reader");
        let error = create(format, target, schema(), &options())
            .and_then(|sink| drive(sink, &batches(&[100; 3]), 2))
            .expect_err("nobody reads");
        assert_eq!(error.kind(), ErrorKind::ClosedPipe, "{}: {error}", format.name());
    }
}

#[test]
fn a_batch_of_another_schema_is_refused_and_nothing_is_published() {
    let dir = tempfile::tempdir().expect("a directory");
    for format in Format::ALL {
        let path = dir.path().join(format.name());
        let target = Target::create(&path, false).expect("a target");
        let sink = create(format, target, schema(), &options()).expect("a sink");
        let other = super::table::batch(0, 3).project(&[1, 0]).expect("two columns");
        assert_eq!(sink.write(other, &()).expect_err("another schema").kind(), ErrorKind::Internal);
        drop(sink);
        assert_eq!(std::fs::read_dir(dir.path()).expect("the directory").count(), 0, "{}", format.name());
    }
}
