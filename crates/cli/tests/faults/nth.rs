//! The nth operation fails, once or from then on. Whatever fails, and whenever: the run ends well with the same
//! outputs, or with one sentence that has the path, and the outputs are as they were or complete.

use std::io::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use urimill::ErrorKind;
use urimill::files::{Operation, Outcome, watch};

use super::place::{Place, RUNS, alone};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The device fails: EIO.
    Broken,
    /// No space: ENOSPC.
    Full,
    /// Not allowed: EACCES.
    Refused,
    /// A signal came between: EINTR. It is not a failure.
    Interrupted,
    /// One byte is read or written. It is not a failure.
    Short,
}
use Fault::*;

impl Fault {
    fn meets(self, operation: Operation) -> bool {
        use Operation::*;
        match self {
            Broken => true,
            Full => matches!(operation, Create | Write | Sync | Rename | Link | CreateDirectory),
            Refused => !matches!(operation, Read | Write | Seek | Sync),
            Interrupted => matches!(operation, Look | Read | Write),
            Short => matches!(operation, Read | Write),
        }
    }

    fn outcome(self) -> Outcome {
        let number = match self {
            Short => return Outcome::Short,
            Broken => 5,
            Full => 28,
            Refused => 13,
            Interrupted => 4,
        };
        Outcome::Fails(Error::from_raw_os_error(number))
    }
}

/// Runs with a fault at operation `n` of those that it meets; returns whether there was one.
fn try_one(place: &Place, fault: Fault, n: usize, lasts: bool, with_old: bool, name: &str) -> bool {
    place.reset(with_old);
    let (count, removal) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (counted, removes) = (Arc::clone(&count), Arc::clone(&removal));
    watch(Some(Arc::new(move |operation, _: &std::path::Path| {
        if !fault.meets(operation) {
            return Outcome::Real;
        }
        let at = counted.fetch_add(1, Ordering::SeqCst);
        // A disk that is gone for good lets nobody tidy up: what can be known is only what stands there.
        if at == n || lasts && at > n {
            removes.fetch_or(operation == Operation::Remove, Ordering::SeqCst);
            return fault.outcome();
        }
        Outcome::Real
    })));
    let ended = place.run(with_old);
    watch(None);
    let what = format!("{name}, {fault:?} at {n}, lasts: {lasts}, with old outputs: {with_old}");
    let met = count.load(Ordering::SeqCst) > n;
    let left = place.check(with_old, &format!("{what}: {ended:?}"));
    match &ended {
        Ok(()) if removal.load(Ordering::SeqCst) => {}
        Ok(()) => assert!(place.tree() == place.new, "{what}: ended well, with other outputs"),
        Err(error) => {
            let said = error.to_string();
            assert!(met && !matches!(fault, Interrupted | Short), "{what}: {said}");
            assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::Data), "{what}: {said}");
            assert!(said.contains(place.root()) && !said.contains('\n'), "{what}: {said}");
        }
    }
    // Outputs that belong together are all as they were, or all new.
    if !lasts && left.is_empty() {
        let before = if with_old { place.old.clone() } else { super::place::Tree::new() };
        let tree = place.tree();
        assert!(tree == before || tree == place.new, "{what}: {:?}", tree.keys());
    }
    assert!(left.is_empty() || removal.load(Ordering::SeqCst), "{what}: {left:?} is left");
    met
}

/// Every fault at each operation, or at every so many; with old outputs and without, or in turn.
fn try_all(
    faults: &[(Fault, bool)],
    runs: impl Fn(&str) -> bool,
    step: impl Fn(&Place) -> usize,
    is_both: bool,
) {
    let _alone = alone();
    let mut tried = 0;
    for (name, line) in RUNS.into_iter().filter(|(name, _)| runs(name)) {
        let place = Place::new(line);
        assert_eq!(place.spilled, line.contains("TEMP"), "{name}: does it go to disk?");
        assert_eq!(place.is_large(), !SMALL(name), "{name}: {} operations", place.operations);
        let step = step(&place);
        for &(fault, lasts) in faults {
            for n in (0..).step_by(step) {
                // Only the last steps differ.
                let with_old = (n / step).is_multiple_of(2);
                let met = try_one(&place, fault, n, lasts, with_old, name);
                tried += 1;
                if is_both {
                    try_one(&place, fault, n, lasts, !with_old, name);
                    tried += 1;
                }
                if !met {
                    break;
                }
            }
        }
    }
    println!("{tried} runs");
    assert!(tried > 20, "{tried}");
}

const FEW: fn(&Place) -> usize = |place| place.step(5);
const SMALL: fn(&str) -> bool = |name| !matches!(name, "sorted" | "dedupe");

#[test]
fn a_broken_device() {
    try_all(&[(Broken, false), (Broken, true)], SMALL, FEW, false);
}

#[test]
fn a_full_disk_and_a_directory_that_is_not_ours() {
    try_all(&[(Full, true), (Refused, false)], SMALL, FEW, false);
}

#[test]
fn what_is_no_failure() {
    try_all(&[(Interrupted, false), (Short, false)], SMALL, FEW, false);
}

#[test]
fn what_does_not_fit_into_memory() {
    try_all(&[(Broken, false)], |name| !SMALL(name), FEW, false);
}

#[test]
#[ignore = "takes minutes: every fault, once and from then on, with old outputs and without"]
fn every_fault_everywhere() {
    let lasting = [Broken, Full, Refused].map(|fault| (fault, true));
    let single = [Broken, Full, Refused, Interrupted, Short].map(|fault| (fault, false));
    try_all(&[&lasting[..], &single].concat(), |_| true, |place| place.step(1), true);
}

#[test]
#[ignore = "takes minutes: every operation of runs that have thousands"]
fn a_fault_at_every_operation_of_large_runs() {
    try_all(&[(Broken, false)], |name| !SMALL(name), |_| 1, false);
}
