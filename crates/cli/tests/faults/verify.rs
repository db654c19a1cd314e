//! `--verify` finds what no system call tells: bytes that the disk does not hold, or holds otherwise.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use urimill::ErrorKind;
use urimill::files::{Operation, Outcome, watch};

use super::place::{Place, alone};

const LINES: [&str; 13] = [
    "normalize IN/few.txt -o OUT/t.parquet --rejects OUT/bad.csv",
    "normalize IN/few.txt -o OUT/t.parquet --compression none",
    "normalize IN/few.txt -o OUT/t.arrow --rejects OUT/bad.jsonl",
    "normalize IN/few.txt -o OUT/t.arrows",
    "normalize IN/few.txt -o OUT/t.csv",
    "normalize IN/few.txt -o OUT/t.jsonl",
    "normalize IN/few.txt -o OUT/t.txt",
    "normalize IN/few.txt -o OUT/t/ --partition-by scheme --to csv",
    "normalize IN/few.txt -o OUT/t.csv --sort-by host",
    "dedupe IN/few.txt -o OUT/t.parquet",
    "dedupe IN/few.txt -o OUT/t.csv",
    "dedupe IN/few.txt -o OUT/t.jsonl",
    "dedupe IN/few.txt -o OUT/t.txt",
];

/// Runs with `outcome` for write number `at`; returns whether there was one, and how the run ended.
fn run(place: &Place, at: usize, outcome: fn() -> Outcome) -> (bool, urimill::Result<()>) {
    place.reset(true);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    watch(Some(Arc::new(move |operation, path: &Path| {
        let is_table = !path.ends_with("_summary.json");
        let counts = operation == Operation::Write && is_table;
        if counts && counted.fetch_add(1, Ordering::SeqCst) == at { outcome() } else { Outcome::Real }
    })));
    let ended = place.run(true);
    watch(None);
    (count.load(Ordering::SeqCst) > at, ended)
}

#[test]
fn a_write_that_was_lost_or_changed_publishes_nothing() {
    let _alone = alone();
    let mut found = 0;
    for line in LINES {
        let place = Place::new(&format!("{line} --verify"));
        for (outcome, name) in
            [((|| Outcome::Lost) as fn() -> Outcome, "lost"), (|| Outcome::Garbled, "changed")]
        {
            for at in 0.. {
                let (met, ended) = run(&place, at, outcome);
                let what = format!("{line}: write {at} {name}: {ended:?}");
                if !met {
                    ended.expect("a run without a fault");
                    break;
                }
                match ended {
                    Err(error) => {
                        let said = error.to_string();
                        assert_eq!(error.kind(), ErrorKind::Data, "{what}");
                        assert!(
                            said.contains("nothing was published") && said.contains(place.root()),
                            "{what}"
                        );
                        assert!(place.tree() == place.old, "{what}: something was published");
                        found += 1;
                    }
                    Ok(()) => panic!("{what}"),
                }
            }
        }
    }
    assert!(found > 30, "only {found} writes were tried");
}

/// Every file of a run with a bit turned on the disk, wherever the bit is: in rows, schema, statistics, indexes or
/// marks.
#[test]
fn a_bit_that_turns_anywhere_in_a_file_publishes_nothing() {
    const LINES: [&str; 6] = [
        "normalize IN/few.txt -o OUT/t.parquet",
        "normalize IN/few.txt -o OUT/t.parquet --compression none --sort-by host",
        "normalize IN/few.txt -o OUT/t.arrow",
        "normalize IN/few.txt -o OUT/t.arrows",
        "normalize IN/few.txt -o OUT/t/ --partition-by scheme --to parquet",
        "dedupe IN/few.txt -o OUT/t.parquet",
    ];
    // Bits from each end of a file, and bits between.
    const AT_ENDS: u64 = 8;
    const BETWEEN: u64 = 24;
    let _alone = alone();
    for line in LINES {
        let place = Place::new(&format!("{line} --verify"));
        for number in 0..2 * AT_ENDS + BETWEEN {
            place.reset(true);
            let turned = Arc::new(Mutex::new(None));
            let told = Arc::clone(&turned);
            let synced = Mutex::new(None);
            watch(Some(Arc::new(move |operation, path: &Path| {
                let mut synced = synced.lock().expect("a path");
                let mut turned = told.lock().expect("a place");
                match operation {
                    Operation::Sync if synced.is_none() && path.is_file() && has_rows(path) => {
                        *synced = Some(path.to_owned());
                    }
                    // The first time that it is opened after the sync is to read it back.
                    Operation::Open if turned.is_none() && synced.as_deref() == Some(path) => {
                        let mut bytes = fs::read(path).expect("the temporary");
                        let bits = bytes.len() as u64 * 8;
                        let bit = match number {
                            first if first < AT_ENDS => first * 5,
                            last if last < 2 * AT_ENDS => bits - 1 - (last - AT_ENDS) * 13,
                            between => bits * (between - 2 * AT_ENDS) / BETWEEN + between % 8,
                        };
                        bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
                        fs::write(path, bytes).expect("the temporary");
                        *turned = Some(bit);
                    }
                    _ => {}
                }
                Outcome::Real
            })));
            let ended = place.run(true);
            watch(None);
            let bit = turned.lock().expect("a place").expect("a file that was read back");
            let what = format!("{line}: bit {bit}: {ended:?}");
            let error = ended.expect_err(&what);
            assert_eq!(error.kind(), ErrorKind::Data, "{what}");
            assert!(error.to_string().contains("nothing was published"), "{what}");
            assert!(place.tree() == place.old, "{what}: something was published");
        }
    }
}

fn has_rows(path: &Path) -> bool {
    !path.ends_with("_summary.json") && !path.ends_with("_SUCCESS")
}

#[test]
fn without_verify_nobody_would_know() {
    let _alone = alone();
    let place = Place::new("normalize IN/few.txt -o OUT/t.csv");
    let (met, ended) = run(&place, 0, || Outcome::Garbled);
    ended.expect("nothing tells of it");
    assert!(met && place.tree() != place.new);
}
