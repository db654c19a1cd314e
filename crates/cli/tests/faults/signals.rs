//! Ctrl-C and `kill` in each phase of a run: the exit code and the sentence tell, no temporary is left, and each output
//! is old or complete.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use urimill::files::{Operation, Outcome, watch};

use super::place::{Place, Tree, alone};
use urimill_testkit::with_signals::with_signals;

const RUNS: [&str; 4] = [
    "normalize IN/many.txt -o OUT/t.parquet --rejects OUT/bad.csv --verify",
    "normalize IN/many.txt -o OUT/t.csv --rejects OUT/bad.csv --sort-by host --memory 1M --temp-dir TEMP --verify",
    "normalize IN/many.txt -o OUT/t/ --partition-by scheme --to parquet --verify",
    "dedupe IN/many.txt -o OUT/t.jsonl --memory 1M --temp-dir TEMP --verify",
];

/// What a run is doing, by what it is about to do to which path.
const PHASES: [&str; 7] = ["read", "sort", "merge", "write", "sync", "verify", "publish"];

fn phase(operation: Operation, path: &Path) -> Option<&'static str> {
    let path = path.to_str()?;
    let place = ["/in/", "/temp", "/out/"].into_iter().find(|part| path.contains(part))?;
    Some(match (operation, place) {
        (Operation::Read, "/in/") => "read",
        (Operation::Write, "/temp") => "sort",
        (Operation::Read, "/temp") => "merge",
        (Operation::Write, "/out/") => "write",
        (Operation::Sync, "/out/") => "sync",
        (Operation::Read, "/out/") => "verify",
        (Operation::Rename | Operation::Link, "/out/") => "publish",
        _ => return None,
    })
}

const LINE: &str = "URIMILL_TEST_SIGNALLED";
const AT: &str = "URIMILL_TEST_PHASE";

/// The process that gets the signal, before an operation of a phase.
#[test]
#[ignore = "started by the others, with a line to run"]
fn signalled() {
    let (Ok(line), Ok(at)) = (std::env::var(LINE), std::env::var(AT)) else { return };
    let at: Vec<&str> = at.split(' ').collect();
    let (wanted, number, signal) =
        (at[0].to_owned(), at[1].parse().expect("a number"), at[2].parse().expect("a number"));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    watch(Some(Arc::new(move |operation, path: &Path| {
        if phase(operation, path).is_some_and(|phase| phase == wanted)
            && counted.fetch_add(1, Ordering::SeqCst) == number
        {
            signal_hook::low_level::raise(signal).expect("a signal");
            // Whoever publishes holds what the end of the process waits for.
            std::thread::sleep(Duration::from_millis(if wanted == "publish" { 200 } else { 5000 }));
        }
        Outcome::Real
    })));
    let ended = urimill_cli::run_line(&line.split('\x1f').collect::<Vec<_>>());
    if count.load(Ordering::SeqCst) > number {
        // As the program does: the signal ends it.
        std::thread::sleep(Duration::from_secs(5));
    }
    std::process::exit(if ended.is_ok() { 0 } else { 3 });
}

fn in_each_phase(numbers: impl Fn() -> Box<dyn Iterator<Item = usize>>) {
    let _alone = alone();
    let mut ended = std::collections::BTreeMap::new();
    for line in RUNS {
        let place = Place::new(line);
        for phase in PHASES {
            for number in numbers() {
                let with_old = number % 2 == 0;
                let (signal, name, code) = [(2, "interrupted", 130), (15, "terminated", 143)][number / 2 % 2];
                place.reset(with_old);
                let mut command = with_signals(std::env::current_exe().expect("this test"));
                command.args(["--exact", "signals::signalled", "--ignored", "--nocapture"]);
                command
                    .env(LINE, place.line(with_old).join("\x1f"))
                    .env(AT, format!("{phase} {number} {signal}"));
                let output = command.stdout(Stdio::null()).output().expect("a child");
                let what = format!("{line}: {phase} {number}, with old outputs: {with_old}");
                let said = String::from_utf8(output.stderr).expect("UTF-8");
                let left = place.check(with_old, &format!("{what}: {said}"));
                assert_eq!(left, [""; 0], "{what}");
                if output.status.code() == Some(0) {
                    // There are fewer such operations.
                    assert!(place.tree() == place.new, "{what}");
                    break;
                }
                assert_eq!(output.status.code(), Some(code), "{what}: {said}");
                let before = if with_old { place.old.clone() } else { Tree::new() };
                match said == format!("urimill: {name}; nothing was published\n") {
                    true => assert!(place.tree() == before, "{what}: something was published"),
                    false => {
                        let sentence = format!(
                            "urimill: {name} after the last step: an output that has its name is complete"
                        );
                        assert!(said.starts_with(&sentence), "{what}: {said}");
                        // The directory is synced after the name.
                        let comes_late = ["publish", "sync"].contains(&phase);
                        assert!(place.tree() != before && comes_late, "{what}: {said}");
                    }
                }
                *ended.entry(phase).or_insert(0) += 1;
            }
        }
    }
    println!("ended by signals: {ended:?}");
    assert_eq!(ended.len(), PHASES.len(), "{ended:?}");
}

#[test]
fn a_signal_in_each_phase() {
    in_each_phase(|| Box::new([0, 3].into_iter()));
}

#[test]
#[ignore = "some minutes: many operations of each phase"]
fn a_signal_at_many_operations_of_each_phase() {
    in_each_phase(|| Box::new((0..20).chain((20..).step_by(37))));
}
