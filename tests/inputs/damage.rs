//! Inputs that are truncated or damaged, with `--on-damage`: whole records are read unchanged, and each damage is
//! reported.

use std::collections::BTreeSet;

use urimill::read::format::{Asked, InputFormat, Keep};
use urimill::read::{ChunkOptions, Chunker, Damage, Damages, Format, OnDamage, RecordSource};

use urimill_testkit::stored::{FORMATS, Slow, log, member, no_progress};

/// The text of all chunks, and the damages.
fn read(stored: &[u8], format: &Format, on_damage: OnDamage, threads: usize) -> (Vec<u8>, Vec<Damage>) {
    let damages = Damages::default();
    let options = ChunkOptions {
        chunk_bytes: 700,
        format: format.clone(),
        threads,
        on_damage,
        damages: damages.clone(),
        ..ChunkOptions::default()
    };
    let chunker = Chunker::from_reader("a", Slow::boxed(stored, 1000), options, no_progress());
    let RecordSource::Chunks(mut source) = chunker.begin().unwrap() else { panic!("tables") };
    let mut text = Vec::new();
    let mut records = 0;
    while let Some(chunk) = source.next_chunk().unwrap() {
        assert_eq!(chunk.first_record, records + 1, "records are counted on");
        records += chunk.records as i64;
        text.extend_from_slice(&chunk.bytes[..chunk.len]);
    }
    let damages = damages.list();
    if let Some(last) = damages.last() {
        assert!(last.records <= records as u64, "{last:?}, and {records} records in all");
    }
    (text, damages)
}

fn lines(stored: &[u8], on_damage: OnDamage) -> (Vec<u8>, Vec<Damage>) {
    read(stored, &Format::default(), on_damage, 1)
}

#[test]
fn a_truncated_file_gives_the_lines_before_its_end() {
    let text = log(1, 90);
    for (format, name, magic) in FORMATS {
        let stored = [member(format, &text[..1000]), member(format, &text[1000..])].concat();
        for cut in magic..stored.len() {
            let (kept, damages) = lines(&stored[..cut], OnDamage::Keep);
            assert!(text.starts_with(&kept), "{name}, {cut} bytes: other lines");
            let is_whole = damages.is_empty();
            assert!(is_whole || kept.is_empty() || kept.ends_with(b"\n"), "{name}, {cut} bytes: half a line");
            // The cut is where the first member ends: the file is whole.
            match &damages[..] {
                [] => assert_eq!(cut, member(format, &text[..1000]).len(), "{name}"),
                [damage] => {
                    assert_eq!(damage.records, kept.iter().filter(|&&b| b == b'\n').count() as u64);
                    assert!(damage.sentence.contains("cannot read a: "), "{damage:?}");
                    assert!(damage.left_out < 60 && !damage.unsure && damage.resumed.is_none(), "{damage:?}");
                }
                more => panic!("{name}, {cut} bytes: {more:?}"),
            }
        }
    }
}

#[test]
fn a_changed_bit_drops_only_its_member() {
    const MEMBERS: usize = 6;
    let parts: Vec<Vec<u8>> = (0..MEMBERS as u64).map(|n| log(n * 1000, 12)).collect();
    for (format, name, _) in FORMATS {
        let stored: Vec<Vec<u8>> = parts.iter().map(|part| member(format, part)).collect();
        let whole = stored.concat();
        for bit in (0..whole.len() * 8).step_by(29) {
            // Without the first magic number the file does not look compressed.
            let begin = |n: usize| stored[..n].iter().map(Vec::len).sum::<usize>();
            let hit = (0..MEMBERS).rfind(|&n| begin(n) <= bit / 8).unwrap();
            if hit == 0 && bit / 8 < 12 {
                continue;
            }
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let what = format!("{name}, bit {bit} in member {hit}");

            let (kept, damages) = lines(&damaged, OnDamage::Keep);
            let before = parts[..hit].concat();
            // Not every bit of a header has a meaning.
            if damages.is_empty() {
                assert!(kept == parts.concat(), "{what}: other lines");
                continue;
            }
            assert!(kept == before, "{what}: {} bytes kept of {}", kept.len(), before.len());
            assert_eq!((damages.len(), damages[0].records), (1, 12 * hit as u64), "{what}");

            // The line in which the next member begins may have lost its beginning: it is dropped with the damage.
            let (kept, damages) = lines(&damaged, OnDamage::Skip);
            let behind = |n: usize| {
                let next = &parts[n][parts[n].iter().position(|&b| b == b'\n').unwrap() + 1..];
                [&before[..], next, &parts[n + 1..].concat()].concat()
            };
            let expected = if hit + 1 < MEMBERS { behind(hit + 1) } else { before.clone() };
            assert!(kept == expected, "{what}: {} bytes behind", kept.len());
            assert_eq!(damages[0].resumed, (hit + 1 < MEMBERS).then(|| begin(hit + 1) as u64), "{what}");
        }
    }
}

fn archive() -> (Vec<Vec<u8>>, Vec<String>) {
    let record = |n: usize| {
        let block = log(n as u64, 5 + n as u64);
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/{n}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        [head.as_bytes(), &block, b"\r\n\r\n"].concat()
    };
    ((0..9).map(record).collect(), (0..9).map(|n| format!("WARC-Target-URI: http://h/{n}\r\n")).collect())
}

/// The numbers of the records whose headers are in the text.
fn found(text: &[u8], targets: &[String]) -> BTreeSet<usize> {
    let has = |target: &String| text.windows(target.len()).any(|window| window == target.as_bytes());
    (0..targets.len()).filter(|&n| has(&targets[n])).collect()
}

#[test]
fn a_damaged_archive_gives_its_whole_records() {
    let (records, targets) = archive();
    let warc = InputFormat::Warc.reader(&Asked::keeping(Keep::None, 1 << 20)).unwrap();
    let plain = records.concat();
    let ends: Vec<usize> = (1..=records.len()).map(|n| records[..n].iter().map(Vec::len).sum()).collect();
    for cut in (10..plain.len()).step_by(7) {
        let (text, damages) = read(&plain[..cut], &warc, OnDamage::Keep, 1);
        // The two line ends after a block are not part of it.
        let whole = ends.iter().filter(|&&end| end - 4 <= cut).count();
        assert_eq!(found(&text, &targets), (0..whole).collect(), "{cut} bytes");
        // A part too short to begin a record has a row with an error.
        let is_cut = !ends.iter().any(|&end| (end - 4..end + 5).contains(&cut));
        assert_eq!(damages.len(), usize::from(is_cut), "{cut} bytes: {damages:?}");
        damages.iter().for_each(|damage| assert_eq!(damage.records, whole as u64, "{cut} bytes"));
    }

    // One member for each record, as archives are compressed: a damaged member loses its record.
    for threads in [1, 2] {
        for (format, name, _) in FORMATS {
            let members: Vec<Vec<u8>> = records.iter().map(|record| member(format, record)).collect();
            let mut stored = members.concat();
            let at = members[..4].iter().map(Vec::len).sum::<usize>() + members[4].len() / 2;
            stored[at] ^= 4;
            let (text, damages) = read(&stored, &warc, OnDamage::Keep, threads);
            assert_eq!(found(&text, &targets), (0..4).collect(), "{name}");
            assert_eq!((damages.len(), damages[0].records), (1, 4), "{name}: {damages:?}");
            let (text, damages) = read(&stored, &warc, OnDamage::Skip, threads);
            assert_eq!(found(&text, &targets), (0..9).filter(|&n| n != 4).collect(), "{name}");
            assert_eq!(damages.len(), 1, "{name}: {damages:?}");
        }
    }
}

#[test]
fn the_summary_marks_long_damaged_members_as_unsure() {
    // Some of its bytes were passed on before its checksum turned out wrong.
    let text = b"http://example.org/some/where/else\n".repeat(600_000);
    let mut stored = member(FORMATS[0].0, &text);
    let last = stored.len() - 6;
    stored[last] ^= 1;
    let (kept, damages) = lines(&stored, OnDamage::Keep);
    assert!(text.starts_with(&kept) && kept.len() > 16 << 20, "{} bytes", kept.len());
    assert_eq!((damages.len(), damages[0].unsure), (1, true), "{damages:?}");
    // The bytes of a truncated member are right up to the cut.
    let (_, damages) = lines(&stored[..last - 10], OnDamage::Keep);
    assert_eq!((damages.len(), damages[0].unsure), (1, false), "{damages:?}");
}

#[test]
fn damage_is_an_error_by_default() {
    let stored = member(FORMATS[0].0, &log(1, 50));
    let sizes = ChunkOptions::default();
    let cut = Slow::boxed(&stored[..stored.len() - 3], 1000);
    let mut source = Chunker::from_reader("a", cut, sizes, no_progress()).begin().unwrap();
    assert!(source.next_morsel().is_err());
}
