//! Buffers are reused, and no reader sees another's bytes in them.

use std::io::{self, Read};
use std::thread;

use urimill::read::format::{Asked, InputFormat, Keep};
use urimill::read::{ChunkOptions, Chunker, Chunks, Pool, RecordSource};

use urimill_testkit::stored::{Slow, no_progress};

fn chunks(text: &str, chunk_bytes: usize) -> Chunks {
    let options = ChunkOptions { chunk_bytes, ..ChunkOptions::default() };
    begun(Chunker::from_reader("memory", Slow::boxed(text.as_bytes(), usize::MAX), options, no_progress()))
}

fn begun(chunker: Chunker) -> Chunks {
    let RecordSource::Chunks(chunks) = chunker.begin().unwrap() else { panic!("tables") };
    *chunks
}

#[test]
fn dropped_chunks_return_their_buffers() {
    let text = "http://example.org/\n".repeat(10_000);
    let mut source = chunks(&text, 1000);
    let mut chunks = 0;
    while source.next_chunk().unwrap().is_some() {
        chunks += 1;
    }
    assert_eq!(chunks, 200);
    // One buffer is being filled and one is handed out.
    assert_eq!(source.pool().allocations(), 2);
}

#[test]
fn chunks_that_are_kept_keep_their_bytes() {
    let text = (0..1000).map(|i| format!("http://example.org/{i}\n")).collect::<String>();
    let mut source = chunks(&text, 100);
    let mut chunks = Vec::new();
    let mut dropped = 0;
    while let Some(chunk) = source.next_chunk().unwrap() {
        // Every other buffer is dropped, in another thread, and used again.
        match chunks.len() > dropped {
            true => {
                dropped += 1;
                thread::spawn(move || drop(chunk)).join().unwrap();
            }
            false => chunks.push(chunk),
        }
    }
    assert!(source.pool().allocations() <= chunks.len() + 2);
    for chunk in chunks {
        let at = chunk.offset as usize;
        assert_eq!(chunk.bytes[..chunk.len], text.as_bytes()[at..at + chunk.len]);
    }
}

#[test]
fn a_view_keeps_the_buffer_out_of_the_pool() {
    let pool = Pool::new(4, 100);
    let mut buffer = pool.take(10);
    buffer.as_mut()[..4].copy_from_slice(b"kept");
    let bytes = buffer.freeze(10);
    let view = bytes.slice(..4);
    drop(bytes);
    assert_eq!(pool.free(), 0);
    assert_eq!(&view[..], b"kept");
    drop(view);
    assert_eq!(pool.free(), 1);
    drop(pool.take(10));
    assert_eq!(pool.allocations(), 1);
}

#[test]
fn the_pool_is_bounded() {
    let pool = Pool::new(2, 100);
    let buffers: Vec<_> = (0..5).map(|_| pool.take(100)).collect();
    assert_eq!(pool.allocations(), 5);
    drop(buffers);
    assert_eq!(pool.free(), 2, "no more than it may keep");

    let mut grown = pool.take(100);
    grown.grow(101);
    drop(grown);
    assert_eq!(pool.free(), 1, "none that has grown too large");
}

#[test]
fn one_long_record_does_not_stay_in_memory() {
    let text = format!("{}\n{}", "x".repeat(10_000), "http://example.org/\n".repeat(1000));
    let mut source = chunks(&text, 1000);
    let mut longest = 0;
    while let Some(chunk) = source.next_chunk().unwrap() {
        longest = longest.max(chunk.len);
    }
    assert!(longest > 10_000);
    let pool = source.pool().clone();
    let free: Vec<_> = (0..pool.free()).map(|_| pool.take(0)).collect();
    assert!(!free.is_empty());
    assert!(free.iter().all(|buffer| buffer.as_ref().len() <= 2 * 1000 + 64));
}

/// Chunks of a web archive hold only headers, however long the blocks are and whatever length the headers state.
#[test]
fn blocks_of_web_archives_are_skipped() {
    let header = |length: u64| format!("WARC/1.0\nWARC-Target-URI: a\nContent-Length: {length}\n\n");
    let block = 30 << 20;
    let first = io::Cursor::new(header(block)).chain(io::repeat(b'x').take(block));
    let archive = first.chain(io::Cursor::new(format!("\n\n{}\n\n{}end", header(0), header(1 << 62))));
    let format = InputFormat::Warc.reader(&Asked::keeping(Keep::None, 1000)).unwrap();
    let options = ChunkOptions { chunk_bytes: 100, ..ChunkOptions::default() };
    let reader = Box::new(archive);
    let mut source = begun(Chunker::from_reader("a", reader, options, no_progress()).with_format(format));
    let (mut records, mut taken) = (0, 0);
    let error = loop {
        match source.next_chunk() {
            Ok(Some(chunk)) => {
                // The empty line after the last header may be beyond it.
                assert!(chunk.len <= 102, "{}", chunk.len);
                records += chunk.records;
                taken += chunk.taken;
            }
            Ok(None) => panic!("the last block has an end"),
            Err(error) => break error.to_string(),
        }
    };
    assert_eq!(records, 2);
    assert!(taken > block, "{taken}");
    assert!(error.contains("is truncated at byte"), "{error}");
    assert!(source.pool().allocations() <= 4, "{}", source.pool().allocations());
}
