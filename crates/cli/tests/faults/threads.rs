//! Runs in two threads whose temporary files fail: all workers stop at the first error, and that is what is said.

use std::io::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use urimill::ErrorKind;
use urimill::files::{Operation, Outcome, watch};

use super::place::{Place, RUNS, alone};

/// At least this many places of a run get a fault, each several times: which worker meets the fault is chance.
const PLACES: usize = 10;
const TIMES: usize = 3;

/// Fails the `n`th of one kind of operations on temporary files, if it is not 0; returns how many there were, and how
/// the run ended.
fn run(place: &Place, kind: Operation, n: usize) -> (usize, urimill::Result<()>) {
    place.reset(false);
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, temp) = (Arc::clone(&count), Path::new(place.root()).join("temp"));
    watch(Some(Arc::new(move |operation, path: &Path| {
        let meets = operation == kind && path == temp;
        if meets && counted.fetch_add(1, Ordering::SeqCst) + 1 == n {
            return Outcome::Fails(Error::from_raw_os_error(5));
        }
        Outcome::Real
    })));
    let ended = place.run(false);
    watch(None);
    (count.load(Ordering::SeqCst), ended)
}

#[test]
fn all_workers_stop_at_the_first_error() {
    let _alone = alone();
    for (name, line) in RUNS.into_iter().filter(|(_, line)| line.contains("TEMP")) {
        let mut place = Place::new(line);
        let threads = place.words.iter().position(|word| word == "--threads").expect("a number of threads");
        place.words[threads + 1] = "2".to_owned();
        for kind in [Operation::Read, Operation::Write] {
            let (all, ended) = run(&place, kind, 0);
            ended.expect("a run without a fault");
            assert!(all > PLACES, "{name}: {all} operations");
            for n in (1..=all).step_by(all / PLACES) {
                for _ in 0..TIMES {
                    let (met, ended) = run(&place, kind, n);
                    let what = format!("{name}, {kind:?} {n} of {all}: {ended:?}");
                    match ended {
                        // The timing decides how many there are: with fewer, none failed, and the output is there.
                        Ok(()) => assert!(met < n, "{what}"),
                        Err(error) => {
                            let said = error.to_string();
                            assert_eq!(error.kind(), ErrorKind::Io, "{what}");
                            assert!(said.contains(place.root()) && !said.contains('\n'), "{what}");
                            assert!(place.tree().is_empty(), "{what}");
                        }
                    }
                }
            }
        }
    }
}
