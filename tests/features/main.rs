//! The features of the package: a feature that is built in works, and one that is not is refused by its name. Every set
//! of features passes these tests: `cargo test --no-default-features --features NAME --test features`.

use std::fs;
use std::path::Path;

use urimill::run::{Conversion, Dedupe, InputFormat, Output, TableSchema};
use urimill::{ErrorKind, Result};

/// `http://a/` and a line feed in each compression, and the feature that reads it.
const COMPRESSED: [(&str, bool, &[u8]); 4] = [
    ("gzip", cfg!(feature = "gzip"), include_bytes!("line.gz")),
    ("zstd", cfg!(feature = "zstd"), include_bytes!("line.zst")),
    ("bzip2", cfg!(feature = "bzip2"), include_bytes!("line.bz2")),
    ("xz", cfg!(feature = "xz"), include_bytes!("line.xz")),
];

/// A run succeeds if `is_built_in`; otherwise it is a usage error that names the feature.
fn is_as_built(what: &str, feature: &str, is_built_in: bool, ran: Result<u64>) {
    match ran {
        Ok(rows) => {
            assert!(is_built_in, "{what}: there is no {feature}");
            assert!(rows > 0, "{what}");
        }
        Err(error) => {
            assert!(!is_built_in, "{what}: {error}");
            assert!(error.to_string().contains(&format!("without the feature {feature}")), "{what}: {error}");
        }
    }
}

fn convert(input: &Path, output: &Path) -> Result<u64> {
    let run = Conversion::new().inputs([input]).write_to(Output::to(output).force(true));
    run.run().map(|stats| stats.records)
}

#[test]
fn an_output_is_written_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("list.txt");
    fs::write(&input, "http://a/\nhttp://b/\n").expect("a list");
    // (name, feature, whether it is built in)
    let outputs = [
        ("x.parquet", "parquet", cfg!(feature = "parquet")),
        ("x.arrow", "ipc", cfg!(feature = "ipc")),
        ("x.arrows", "ipc", cfg!(feature = "ipc")),
        ("x.csv", "", true),
        ("x.jsonl", "", true),
        ("x.csv.gz", "gzip", cfg!(feature = "gzip")),
        ("x.jsonl.zst", "zstd", cfg!(feature = "zstd")),
    ];
    for (name, feature, is_built_in) in outputs {
        let output = folder.path().join(name);
        is_as_built(name, feature, is_built_in, convert(&input, &output));
        assert_eq!(output.exists(), is_built_in, "{name}");
        if is_built_in && !name.contains(".csv") && !name.contains(".jsonl") {
            // The output is read again.
            let again = Output::to(folder.path().join("again.csv")).force(true);
            let run = Conversion::new().inputs([&output]).uri_field("uri").write_to(again).run();
            is_as_built(name, feature, true, run.map(|stats| stats.records));
        }
    }
}

#[test]
fn an_input_is_decompressed_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (feature, is_built_in, bytes) in COMPRESSED {
        let input = folder.path().join(feature);
        fs::write(&input, bytes).expect("a file");
        let output = folder.path().join("x.csv");
        let ran = convert(&input, &output);
        is_as_built(feature, feature, is_built_in, ran);
    }
}

#[test]
fn tables_and_archives_are_read_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    // Beginnings of files: a format that is built in finds them damaged.
    let inputs = [
        ("x.parquet", &b"PAR1....PAR1"[..], InputFormat::Parquet, "parquet", cfg!(feature = "parquet")),
        ("x.arrow", b"ARROW1\0\0........ARROW1", InputFormat::Arrow, "ipc", cfg!(feature = "ipc")),
        ("x.wacz", b"PK\x05\x06...................", InputFormat::Wacz, "gzip", cfg!(feature = "gzip")),
    ];
    for (name, bytes, format, feature, is_built_in) in inputs {
        let input = folder.path().join(name);
        fs::write(&input, bytes).expect("a file");
        let run = Conversion::new().inputs([&input]).format(format);
        let run = if format == InputFormat::Wacz { run } else { run.uri_field("uri") };
        let error = run.write_to(Output::to(folder.path().join("x.csv")).force(true)).run().expect_err(name);
        let names_it = error.to_string().contains(&format!("without the feature {feature}"));
        assert_eq!(names_it, !is_built_in, "{name}: {error}");
    }
}

#[test]
fn a_sort_and_a_count_go_to_disk_whatever_compresses_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("list.txt");
    let list: String = (0..60_000).map(|n| format!("http://h/{:x}\n", n * 7919 % 60_000)).collect();
    fs::write(&input, list).expect("a list");
    let sorted = folder.path().join("sorted.csv");
    let run = Conversion::new().inputs([&input]).columns(["uri"]).sort_by(["uri"]).memory(1 << 20);
    run.write_to(Output::to(&sorted)).run().expect("a sorted table");
    let text = fs::read_to_string(&sorted).expect("a table");
    let uris: Vec<&str> =
        text.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(uris.len(), 60_000);
    assert!(uris.is_sorted(), "{:?}", uris.windows(2).find(|pair| pair[0] > pair[1]));
    let counted = folder.path().join("counted.csv");
    let run = Dedupe::new().inputs([&input]).memory(1 << 20).write_to(Output::to(&counted));
    run.run().expect("a count");
    assert_eq!(fs::read_to_string(&counted).expect("a table").lines().count(), 60_001);
}

#[test]
fn common_crawls_table_is_made_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("list.txt");
    fs::write(&input, "http://a/\n").expect("a list");
    let run =
        Conversion::new().inputs([&input]).format(InputFormat::Lines).schema(TableSchema::CcIndex).fill(true);
    let ran = run.write_to(Output::to(folder.path().join("x.csv"))).run();
    assert!(ran.as_ref().map_or_else(|error| error.kind() == ErrorKind::Usage, |_| true), "{ran:?}");
    is_as_built("cc-index", "cc-index", cfg!(feature = "cc-index"), ran.map(|stats| stats.records));
}

/// The rows of a run as a stream, on an executor of one thread.
#[cfg(feature = "futures")]
mod streams {
    use std::future::{Future, poll_fn};
    use std::io::{self, Cursor, Read};
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use std::task::Poll;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use futures_core::Stream;
    use futures_executor::{block_on, block_on_stream};
    use urimill::arrow_array::{RecordBatch, RecordBatchReader};
    use urimill::arrow_schema::{DataType, SchemaRef};
    use urimill::run::{BatchStream, Conversion, Dedupe, Edges, Finish, Index, Node};
    use urimill::{Error, ErrorKind, Result};

    fn list() -> Vec<u8> {
        (0..20_000).flat_map(|n| format!("http://example.com/{}/../{n}\n", n % 7).into_bytes()).collect()
    }

    fn conversion() -> Conversion {
        Conversion::new().inputs_from(Cursor::new(list()), "list").chunk(32 << 10)
    }

    async fn next(stream: &mut BatchStream) -> Option<Result<RecordBatch>> {
        poll_fn(|context| pin!(&mut *stream).poll_next(context)).await
    }

    #[test]
    fn a_stream_has_the_batches_of_the_iterator() {
        for options in [(|run| run) as fn(Conversion) -> Conversion, |run| run.sort_by(["path"])] {
            for threads in [1, 2, 16] {
                let run = || options(conversion()).threads(threads);
                let mut iterator = run().into_batches().expect("rows");
                let expected: Vec<_> =
                    iterator.by_ref().collect::<std::result::Result<_, _>>().expect("rows");
                let mut stream = block_on(run().into_stream()).expect("rows");
                assert_eq!(stream.schema(), iterator.schema());
                assert!(stream.stats().is_none());
                let (batches, polls) = block_on(async {
                    let (mut batches, mut polls) = (Vec::new(), 0);
                    while let Some(batch) = poll_fn(|context| {
                        polls += 1;
                        pin!(&mut stream).poll_next(context)
                    })
                    .await
                    {
                        batches.push(batch.expect("a batch"));
                    }
                    (batches, polls)
                });
                assert_eq!(batches, expected);
                let stats = stream.stats().expect("statistics");
                assert_eq!((stats.records, stats.rows), (20_000, 20_000));
                // A waker wakes when there is something: nothing is asked again and again.
                assert!(polls <= 2 * (batches.len() + 1), "{polls} polls for {} batches", batches.len());
                assert!(block_on(next(&mut stream)).is_none());
            }
        }
    }

    #[test]
    fn other_jobs_have_streams_too() {
        let rows = |stream: Result<BatchStream>| {
            let batches = block_on_stream(stream.expect("rows"));
            batches.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>()
        };
        let list = &b"http://a/\nHTTP://a\n"[..];
        assert_eq!(rows(block_on(Dedupe::new().inputs_from(list, "list").into_stream())), 1);
        let page = &b"<a href=//b/>b</a>"[..];
        assert_eq!(rows(block_on(Edges::new(Node::Uri).inputs_from(page, "http://a/").into_stream())), 1);
        assert_eq!(rows(block_on(Index::new().inputs_from(io::empty(), "a.warc").into_stream())), 0);
        assert_eq!(rows(conversion().into_batches().map(|batches| batches.into_stream())), 20_000);
    }

    #[test]
    fn streams_have_the_form_that_the_caller_chooses() {
        for sorted in [false, true] {
            let run =
                Conversion::new().inputs_from(&b"http://b\nhttp://a\n"[..], "list").columns(["uri", "host"]);
            let run = if sorted { run.sort_by(["uri"]) } else { run };
            let shape = |inside: SchemaRef| -> (SchemaRef, Finish) {
                assert_eq!(inside.field(1).data_type(), &DataType::Utf8View);
                let hosts = Arc::new(inside.project(&[1]).expect("it has two columns"));
                (hosts, Box::new(|batch| Ok(batch.project(&[1]).expect("it has two columns"))))
            };
            let stream = block_on(run.into_stream_as(shape)).expect("rows");
            assert_eq!(stream.schema().fields().len(), 1);
            let mut batches = block_on_stream(stream).map(|batch| batch.expect("a batch"));
            let batch = batches.next().expect("rows");
            assert_eq!((batch.schema().field(0).name().as_str(), batch.num_rows()), ("host", 2));
            assert!(batches.next().is_none());
        }
        let failing = |inside: SchemaRef| -> (SchemaRef, Finish) {
            (inside, Box::new(|_| Err(Error::new(ErrorKind::Internal, "no batch"))))
        };
        let stream = block_on(conversion().into_stream_as(failing)).expect("rows");
        let error = block_on_stream(stream).find_map(Result::err).expect("its error");
        assert!(error.to_string().contains("no batch"), "{error}");
    }

    /// Reads what another task sends, and waits for it.
    struct Sent {
        from: Receiver<Vec<u8>>,
        bytes: Cursor<Vec<u8>>,
        _held: Arc<()>,
    }

    impl Sent {
        fn new(from: Receiver<Vec<u8>>, held: &Arc<()>) -> Sent {
            Sent { from, bytes: Cursor::default(), _held: Arc::clone(held) }
        }
    }

    impl Read for Sent {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.bytes.read(buffer)? {
                0 => match self.from.recv() {
                    Ok(bytes) => {
                        self.bytes = Cursor::new(bytes);
                        self.bytes.read(buffer)
                    }
                    Err(_) => Ok(0),
                },
                read => Ok(read),
            }
        }
    }

    /// The input comes from a task of the same thread: if the stream blocked that, nothing would ever come.
    #[test]
    fn a_stream_does_not_block_its_executor() {
        let (sender, receiver) = channel();
        let run = Conversion::new()
            .inputs_from(Sent::new(receiver, &Arc::default()), "task")
            .chunk(1000)
            .threads(2);
        let mut taking = pin!(async {
            let (mut stream, mut rows) = (run.into_stream().await.expect("rows"), 0);
            while let Some(batch) = next(&mut stream).await {
                rows += batch.expect("a batch").num_rows();
            }
            (stream.stats().expect("statistics").records, rows)
        });
        let (mut sender, mut turns) = (Some(sender), 0);
        let taken = block_on(poll_fn(|context| {
            if let Poll::Ready(taken) = taking.as_mut().poll(context) {
                return Poll::Ready(taken);
            }
            // Between the polls of the stream its thread has time for this.
            turns += 1;
            match &sender {
                Some(sender) if turns <= 100 => {
                    sender.send(b"http://example.com/\n".repeat(100)).expect("a reader");
                    context.waker().wake_by_ref();
                }
                _ => sender = None,
            }
            Poll::Pending
        }));
        assert_eq!(taken, (10_000, 10_000));
    }

    fn has_ended(reader: &Arc<()>) -> bool {
        let begun = Instant::now();
        while Arc::strong_count(reader) > 1 && begun.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(1));
        }
        Arc::strong_count(reader) == 1
    }

    /// Dropped while it is opened, before its first batch, and after it; dropping never waits for the reader.
    #[test]
    fn a_dropped_stream_stops_its_run() {
        for batches in [None, Some(0), Some(1)] {
            let (sender, receiver) = channel();
            let held = Arc::new(());
            let run =
                Conversion::new().inputs_from(Sent::new(receiver, &held), "task").chunk(1000).threads(2);
            let mut opening = Box::pin(run.into_stream());
            let is_pending =
                block_on(poll_fn(|context| Poll::Ready(opening.as_mut().poll(context).is_pending())));
            assert!(is_pending, "nothing has come");
            if let Some(batches) = batches {
                sender.send(list()).expect("a reader");
                let mut stream = block_on(opening).expect("rows");
                for _ in 0..batches {
                    assert!(block_on(next(&mut stream)).expect("a batch").is_ok());
                }
                drop(stream);
            } else {
                drop(opening);
            }
            // The reader waits for more: only its end lets the run see that it is to stop.
            drop(sender);
            assert!(has_ended(&held), "after {batches:?} batches");
        }
    }

    #[test]
    fn an_error_is_the_last_item() {
        let run = Conversion::new().inputs_from(&b"PAR1....PAR1"[..], "x").uri_field("u");
        assert_eq!(block_on(run.into_stream()).expect_err("no file").kind(), ErrorKind::Usage);
        let failing = Cursor::new(list()).chain(Failing);
        let run = Conversion::new().inputs_from(failing, "remote").chunk(32 << 10);
        let mut stream = block_on(run.into_stream()).expect("rows");
        let error = loop {
            match block_on(next(&mut stream)) {
                Some(Ok(_)) => {}
                Some(Err(error)) => break error,
                None => panic!("the error is missing"),
            }
        };
        assert!(error.to_string().starts_with("cannot read remote: it is gone"), "{error}");
        assert!(block_on(next(&mut stream)).is_none() && stream.stats().is_none());
    }

    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("it is gone"))
        }
    }
}
