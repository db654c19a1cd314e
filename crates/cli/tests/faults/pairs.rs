//! A table and its rejects belong together: no other run comes between, and what is in place is told.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use urimill::ErrorKind;
use urimill::files::{Operation, Outcome, watch};

use super::place::{Place, alone};

const LINE: &str = "URIMILL_TEST_LINE";
const MARK: &str = "URIMILL_TEST_MARK";

const PAIR: &str = "normalize IN/few.txt -o OUT/t.csv --rejects OUT/bad.csv";
const REPORT: &str = "report IN/few.txt -o OUT/r.html --json OUT/r.json --state OUT/r.state";

/// A run that takes its time between the names of its two outputs.
#[test]
#[ignore = "started by the next, with a line to run"]
fn slow() {
    let (Ok(line), Ok(mark)) = (std::env::var(LINE), std::env::var(MARK)) else { return };
    watch(Some(Arc::new(move |operation, path: &Path| {
        if operation == Operation::Rename && (path.ends_with("bad.csv") || path.ends_with("r.state")) {
            std::fs::write(&mark, "").expect("a mark");
            std::thread::sleep(Duration::from_millis(700));
        }
        Outcome::Real
    })));
    let ended = urimill_cli::run_line(&line.split('\x1f').collect::<Vec<_>>());
    std::process::exit(if ended.is_ok() { 0 } else { 3 });
}

#[test]
fn concurrent_runs_never_mix_their_outputs() {
    let _alone = alone();
    for (line, names) in [(PAIR, &["t.csv", "bad.csv"][..]), (REPORT, &["r.html", "r.json", "r.state"])] {
        let place = Place::new(line);
        place.reset(true);
        let mark = Path::new(place.root()).join("mark");
        let mut slow = Command::new(std::env::current_exe().expect("this test"));
        slow.args(["--exact", "pairs::slow", "--ignored", "--nocapture"]);
        slow.env(LINE, place.line(true).join("\x1f")).env(MARK, &mark);
        let mut slow = slow.stdout(Stdio::null()).spawn().expect("a child");
        let begun = Instant::now();
        while !mark.exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the first run does not come so far");
            std::thread::sleep(Duration::from_millis(2));
        }
        // Another input, so that both can be told apart.
        std::fs::write(Path::new(place.root()).join("in/few.txt"), "http://second/\n<second>\n")
            .expect("a list");
        let second = Command::new(env!("CARGO_BIN_EXE_urimill")).args(&place.line(true)[1..]).status();
        assert!(second.expect("urimill ends").success());
        assert!(slow.wait().expect("a child").success());
        for name in names {
            let output = std::fs::read(place.out().join(name)).expect("an output");
            let is_of_second = String::from_utf8_lossy(&output).contains("second");
            assert!(is_of_second, "{name}: the second waits for the first");
        }
        assert_eq!(place.tree().len(), names.len(), "{:?}", place.tree().keys());
    }
}

/// Runs where the nth operation of a kind on a path with such an end fails.
fn failing(
    place: &Place,
    with_old: bool,
    fails: impl Fn(Operation, &str) -> bool + Send + Sync + 'static,
) -> String {
    place.reset(with_old);
    watch(Some(Arc::new(move |operation, path: &Path| match fails(operation, &path.to_string_lossy()) {
        true => Outcome::Fails(std::io::Error::from_raw_os_error(5)),
        false => Outcome::Real,
    })));
    let ended = place.run(with_old);
    watch(None);
    let error = ended.expect_err("an operation that fails");
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    error.to_string()
}

#[test]
fn what_is_in_place_is_told() {
    let _alone = alone();
    let place = Place::new(PAIR);
    let out = |name: &str| place.out().join(name).display().to_string();
    let of = |name: &str, tree: &super::place::Tree| tree.get(Path::new(name)).cloned();

    // The second name cannot be given: the first is taken back.
    let said =
        failing(&place, true, |operation, path| operation == Operation::Rename && path.ends_with("bad.csv"));
    assert!(said.starts_with(&format!("cannot create {}", out("bad.csv"))), "{said}");
    assert!(!said.contains("in place") && place.tree() == place.old, "{said}");

    // The first cannot be taken back either, where the system gives no file a second name.
    let said = failing(&place, true, |operation, path| {
        operation == Operation::Link || operation == Operation::Rename && path.ends_with("bad.csv")
    });
    let expected = format!("{} is complete and in place, and {} is as it was", out("t.csv"), out("bad.csv"));
    assert!(said.starts_with(&format!("cannot create {}", out("bad.csv"))), "{said}");
    assert!(said.ends_with(&expected), "{said}");
    let tree = place.tree();
    assert_eq!(of("t.csv", &tree), of("t.csv", &place.new));
    assert_eq!(of("bad.csv", &tree), of("bad.csv", &place.old));

    // The first cannot.
    let said =
        failing(&place, true, |operation, path| operation == Operation::Rename && path.ends_with("t.csv"));
    assert!(said.starts_with(&format!("cannot create {}", out("t.csv"))), "{said}");
    assert!(!said.contains("in place") && place.tree() == place.old, "{said}");

    // Both have their names, and the disk does not say that it has them.
    let directory = place.out().display().to_string();
    let said =
        failing(&place, true, move |operation, path| operation == Operation::Sync && path == directory);
    let begins = format!("{} and {} are complete and in place, but", out("t.csv"), out("bad.csv"));
    assert!(said.starts_with(&begins) && place.tree() == place.new, "{said}");
}

/// The page, the figures and the state of a report: all new, or all old, whichever name cannot be given.
#[test]
fn a_report_is_one_set() {
    let _alone = alone();
    let place = Place::new(REPORT);
    for with_old in [true, false] {
        for name in ["r.html", "r.json", "r.state"] {
            let operation = if with_old { Operation::Rename } else { Operation::Link };
            // Without an old file the name is linked, unless the system has no links.
            let said = failing(&place, with_old, move |now, path| {
                (now == operation || now == Operation::Rename) && path.ends_with(name)
            });
            let before = if with_old { place.old.clone() } else { Default::default() };
            assert!(said.starts_with("cannot create") && said.contains(name), "{said}");
            assert!(!said.contains("in place") && place.tree() == before, "{name}, {with_old}: {said}");
        }
    }
}

#[test]
fn a_name_that_is_given_is_not_said_to_be_missing() {
    let _alone = alone();
    for line in ["normalize IN/few.txt -o OUT/t.csv", "normalize IN/few.txt -o OUT/t/ --to csv"] {
        let place = Place::new(line);
        for with_old in [true, false] {
            let directory = place.out().display().to_string();
            let said = failing(&place, with_old, move |operation, path| {
                operation == Operation::Sync && path == directory
            });
            assert!(said.contains("is complete and in place, but a power failure may undo that"), "{said}");
            assert!(place.tree() == place.new, "{said}");
        }
    }
}

/// (the run, what is left)
#[test]
fn what_cannot_be_removed_is_told_with_its_name() {
    let _alone = alone();
    for (line, with_old, what) in [
        ("normalize IN/few.txt -o OUT/t/ --to csv", true, "but the old directory, which is"),
        ("normalize IN/few.txt -o OUT/t.csv", false, "but its temporary name"),
        ("normalize IN/few.txt -o OUT/t.csv --rejects OUT/bad.csv", true, "the lock"),
    ] {
        let place = Place::new(line);
        let said = failing(&place, with_old, |operation, path| {
            operation == Operation::Remove && path.contains(".urimill-")
        });
        assert!(said.contains("complete and in place") && said.contains(what), "{line}: {said}");
        let left = place.check(with_old, line);
        assert!(!left.is_empty() && left.iter().all(|name| said.contains(name)), "{line}: {left:?}: {said}");
        // The next run takes it away.
        place.run(true).expect("a run");
        assert!(place.tree() == place.new, "{line}: {:?}", place.tree().keys());
    }
}
