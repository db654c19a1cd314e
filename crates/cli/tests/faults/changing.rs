//! Inputs that become shorter or longer while they are read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use urimill::files::{Operation, Outcome, watch};
use urimill::{ErrorKind, Result};

use super::place::alone;

/// (the input's name, the message about its format)
const INPUTS: [(&str, &str); 6] = [
    ("in.txt", ""),
    ("in.csv", "--from csv --uri-field 1"),
    ("in.txt.gz", ""),
    ("in.txt.zst", ""),
    ("in.parquet", "--from parquet --uri-field uri"),
    ("in.arrow", "--from arrow --uri-field uri"),
];

fn text(from: usize, to: usize) -> Vec<u8> {
    (from..to).flat_map(|n| format!("http://h{}.example/{n}\n", n * 7919 % 100_003).into_bytes()).collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text).expect("memory");
    packed.finish().expect("memory")
}

const LINES: usize = 20_000;

/// Bytes as the input has them.
fn stored(name: &str, dir: &Path) -> Vec<u8> {
    let text = text(0, LINES);
    match name.rsplit_once('.').expect("a name with an end").1 {
        // The file has several members, like rotated logs that were joined.
        "gz" => text.chunks(text.len() / 7).flat_map(gzip).collect(),
        "zst" => zstd::encode_all(&text[..], 1).expect("memory"),
        "txt" | "csv" => text,
        _ => {
            let (list, table) = (dir.join("made.txt"), dir.join(format!("made-{name}")));
            fs::write(&list, &text).expect("a file");
            let words = ["urimill", "normalize", path(&list), "-o", path(&table)];
            let options = ["--summary", "none", "--columns", "uri", "--row-group-rows", "3000", "--force"];
            urimill_cli::run_line(&[&words[..], &options].concat()).expect("a table");
            fs::read(table).expect("a file")
        }
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Runs over the input, to which `change` happens before it is read for the nth time; returns whether it was.
fn run(
    input: &Path,
    (output, options): (&Path, &str),
    n: usize,
    change: impl Fn(&Path) + Send + Sync + 'static,
) -> (bool, Result<()>) {
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, watched) = (Arc::clone(&count), input.to_owned());
    watch(Some(Arc::new(move |operation, path: &Path| {
        if operation == Operation::Read && path == watched && counted.fetch_add(1, Ordering::SeqCst) == n {
            change(path);
        }
        Outcome::Real
    })));
    let line = format!(
        "urimill normalize {} -o {} {options} --level none --chunk 20000 --threads 2 --summary none --verify --force",
        path(input),
        path(output)
    );
    let ended = urimill_cli::run_line(&line.split_whitespace().collect::<Vec<_>>());
    watch(None);
    (count.load(Ordering::SeqCst) > n, ended)
}

fn in_a_place(each: impl Fn(&Path, &[u8], (&Path, &str))) {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a directory");
    for (name, options) in INPUTS {
        let bytes = stored(name, dir.path());
        let input: PathBuf = dir.path().join(name);
        each(&input, &bytes, (&dir.path().join("out.txt"), options));
    }
}

#[test]
fn a_file_that_becomes_shorter_is_reported() {
    in_a_place(|input, bytes, (output, options)| {
        let mut told = 0;
        for n in 0.. {
            for part in [0, bytes.len() / 3, bytes.len() - 1] {
                fs::write(input, bytes).expect("a file");
                fs::write(output, "old").expect("a file");
                let cut = move |path: &Path| {
                    let file = OpenOptions::new().write(true).open(path).expect("a file");
                    file.set_len(part as u64).expect("cut");
                };
                let (met, ended) = run(input, (output, options), n, cut);
                let what = format!("{}, cut to {part} before read {n}: {ended:?}", input.display());
                if !met {
                    assert!(told > 0, "{what}");
                    return;
                }
                match ended {
                    // All that was there had been read.
                    Ok(()) => assert_eq!(fs::read(output).expect("a file"), text(0, LINES), "{what}"),
                    Err(error) => {
                        let said = error.to_string();
                        assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::Data), "{what}");
                        assert!(said.contains(path(input)) && !said.contains('\n'), "{what}");
                        let is_plain = [".txt", ".csv"].iter().any(|end| path(input).ends_with(end));
                        assert!(
                            !is_plain || said.contains("it has become shorter while it was read"),
                            "{what}"
                        );
                        assert_eq!(fs::read(output).expect("a file"), b"old", "{what}");
                        told += 1;
                    }
                }
            }
        }
    });
}

/// What was there is read, and of what comes as much as is there when the end is met.
#[test]
fn a_file_that_becomes_longer_is_read_to_its_end() {
    in_a_place(|input, bytes, (output, options)| {
        for n in 0.. {
            fs::write(input, bytes).expect("a file");
            let is_table = !options.is_empty() && !options.contains("csv");
            let is_gzip = path(input).ends_with("gz");
            let more = match is_gzip {
                true => gzip(&text(LINES, LINES + 5000)),
                false if path(input).ends_with("zst") => {
                    zstd::encode_all(&text(LINES, LINES + 5000)[..], 1).expect("memory")
                }
                false => text(LINES, LINES + 5000),
            };
            let grow = move |path: &Path| {
                OpenOptions::new()
                    .append(true)
                    .open(path)
                    .and_then(|mut file| file.write_all(&more))
                    .expect("a file");
            };
            let (met, ended) = run(input, (output, options), n, grow);
            let what = format!("{}, longer before read {n}", input.display());
            if !met {
                assert!(n > 1, "{what}");
                return;
            }
            match ended {
                Ok(()) => {
                    let found = fs::read(output).expect("a file");
                    let (least, most) = (text(0, LINES), text(0, LINES + 5000));
                    assert!(
                        found.len() >= least.len() && most.starts_with(&found),
                        "{what}: {} bytes",
                        found.len()
                    );
                }
                // The end of such a file says where its parts are.
                Err(error) => {
                    assert!(is_table && error.to_string().contains(path(input)), "{what}: {error}");
                }
            }
        }
    });
}
