//! Invariants of Parquet and Arrow readers on any bytes: rows or one error message, the same each time, in bounded
//! memory; no panic of a library gets out.

use std::fs;

use urimill::ErrorKind;
use urimill::read::format::{Asked, InputFormat, Keep, UriSource};
use urimill::read::{ChunkOptions, Chunker, Morsel, Source};

use super::place::place;

/// The least memory that a run can be given.
const MEMORY: usize = 1 << 20;

pub(super) fn parquet(data: &[u8]) {
    stored(data, InputFormat::Parquet);
}

/// Reads the input as a file, and through a pipe. They may differ: a file's footer may lead elsewhere than its
/// messages.
pub(super) fn arrow(data: &[u8]) {
    stored(data, InputFormat::Arrow);
    let piped = || {
        let chunker = Chunker::from_reader(
            "pipe",
            Box::new(std::io::Cursor::new(data.to_vec())),
            options(InputFormat::Arrow),
            Default::default(),
        );
        rows(chunker, "pipe")
    };
    assert_eq!(piped(), piped());
}

fn options(format: InputFormat) -> ChunkOptions {
    let uri = Some(UriSource::Field("1".parse().expect("a number")));
    let format = format.reader(&Asked { uri, ..Asked::keeping(Keep::All, 1 << 20) }).expect("a format");
    ChunkOptions { format, memory: MEMORY, ..ChunkOptions::default() }
}

fn stored(data: &[u8], format: InputFormat) {
    let path = place();
    fs::write(&path, data).expect("a file");
    let read = || {
        let sources = vec![Source::File(path.clone())];
        let chunker = Chunker::new(sources, options(format), Default::default());
        rows(chunker, &path.display().to_string())
    };
    let (first, second) = (read(), read());
    let _ = fs::remove_file(&path);
    assert_eq!(first, second);
}

/// The number of rows, or the error message.
fn rows(chunker: Chunker, name: &str) -> Result<usize, String> {
    let mut rows = 0;
    let read = || {
        let mut feed = chunker.begin()?;
        while let Some(piece) = feed.next_morsel()? {
            let Morsel::Table(piece) = piece else { panic!("a chunk of a table") };
            assert!(piece.count > 0 && piece.rows.uris.len() == piece.count);
            assert!(piece.rows.passthrough.iter().all(|column| column.len() == piece.count));
            assert_eq!(piece.first_record, rows as i64 + 1);
            rows += piece.count;
        }
        Ok(())
    };
    match read() {
        Ok(()) => Ok(rows),
        Err::<_, urimill::Error>(error) => {
            let said = error.to_string();
            assert!(matches!(error.kind(), ErrorKind::Data | ErrorKind::Usage), "{said}");
            assert!(said.contains(name) && !said.contains('\n'), "{said}");
            Err(said)
        }
    }
}
