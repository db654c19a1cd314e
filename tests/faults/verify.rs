//! `--verify` finds what no system call tells: bytes that the disk does not hold, or holds otherwise.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Runs with `outcome` for write number `at`; answers whether there was one, and how the run ended.
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
    let (mut found, mut same) = (0, 0);
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
                    // Not every byte of a file says something of a row.
                    Ok(()) => same += 1,
                }
            }
        }
    }
    println!("{found} found, {same} without a row that changed");
    assert!(found > 20 && same <= found / 4, "{found} found, {same} not");
}

#[test]
fn without_verify_nobody_would_know() {
    let _alone = alone();
    let place = Place::new("normalize IN/few.txt -o OUT/t.csv");
    let (met, ended) = run(&place, 0, || Outcome::Garbled);
    ended.expect("nothing tells of it");
    assert!(met && place.tree() != place.new);
}
