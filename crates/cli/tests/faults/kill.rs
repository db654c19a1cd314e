//! `kill -9`: nothing is half, and the next run sweeps away what the dead one left.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use urimill::files::{Outcome, watch};

use super::place::{Place, RUNS, alone, changes};

const LINE: &str = "URIMILL_TEST_LINE";
const AT: &str = "URIMILL_TEST_AT";

/// The process that is killed: it runs a line, and kills itself before the operation with the given number.
#[test]
#[ignore = "started by the others, with a line to run"]
fn child() {
    let (Ok(line), Ok(at)) = (std::env::var(LINE), std::env::var(AT)) else { return };
    let (count, at) = (AtomicUsize::new(0), at.parse::<usize>().expect("a number"));
    watch(Some(Arc::new(move |operation, _: &Path| {
        if changes(operation) && count.fetch_add(1, Ordering::SeqCst) == at {
            signal_hook::low_level::raise(signal_hook::consts::SIGKILL).expect("a signal");
        }
        Outcome::Real
    })));
    let words: Vec<&str> = line.split('\x1f').collect();
    let ended = urimill_cli::run_line(&words);
    std::process::exit(if ended.is_ok() { 0 } else { 3 });
}

/// The outputs of a killed run are whole, and its temporaries gone after the next run; returns how many there were.
fn check_and_run_again(place: &Place, with_old: bool, what: &str) -> usize {
    let left = place.check(with_old, what);
    place.run(true).unwrap_or_else(|error| panic!("{what}: the next run fails: {error}"));
    assert!(place.tree() == place.new, "{what}: {left:?} is still there after the next run");
    left.len()
}

/// Kills a run before the operation with a number; returns whether it had that many, and how many temporaries there
/// were.
fn kill_before(place: &Place, (name, at, with_old): (&str, usize, bool)) -> (bool, usize) {
    place.reset(with_old);
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "kill::child", "--ignored", "--nocapture"]);
    command.env(LINE, place.line(with_old).join("\x1f")).env(AT, at.to_string());
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("a child");
    let what = format!("{name}, killed before operation {at}, with old outputs: {with_old}");
    // The last number is that of no operation; a run without old outputs may have fewer.
    assert!(matches!(status.code(), None | Some(0)), "{what}: {status}");
    (status.code().is_none(), check_and_run_again(place, with_old, &what))
}

fn before_each_operation(step: usize) {
    let _alone = alone();
    let (mut killed, mut left) = (0, 0);
    for (name, line) in RUNS {
        let place = Place::new(line);
        for with_old in [true, false] {
            for at in (0..=place.operations).step_by(place.step(step)) {
                let (is_killed, temporaries) = kill_before(&place, (name, at, with_old));
                killed += usize::from(is_killed);
                left += temporaries;
            }
        }
    }
    println!("killed {killed} times, {left} temporaries swept away");
    assert!(killed > 20 && left > 20, "{killed}, {left}");
}

#[test]
fn killed_before_some_operations() {
    before_each_operation(7);
}

#[test]
#[ignore = "a minute: every operation that changes anything"]
fn killed_before_each_operation() {
    before_each_operation(1);
}

#[test]
#[ignore = "takes minutes: every operation of runs that have thousands"]
fn killed_before_each_operation_of_large_runs() {
    let _alone = alone();
    let mut killed = 0;
    for (name, line) in RUNS {
        let place = Place::new(line);
        for at in (0..=place.operations).filter(|_| place.is_large()) {
            killed += usize::from(kill_before(&place, (name, at, at % 2 == 0)).0);
        }
    }
    println!("killed {killed} times");
    assert!(killed > 1000, "{killed}");
}

fn at_random(times: u64) {
    let _alone = alone();
    let mut killed = 0;
    for (name, line) in
        RUNS.into_iter().filter(|(name, _)| ["parquet", "partitions", "sorted"].contains(name))
    {
        let place = Place::new(&line.replace("few.txt", "many.txt").replace("some.txt", "many.txt"));
        let start = |with_old| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_urimill"));
            command.args(&place.line(with_old)[1..]).stderr(Stdio::null()).spawn().expect("urimill starts")
        };
        let run = || {
            let begun = Instant::now();
            place.reset(true);
            assert!(start(true).wait().expect("urimill ends").success());
            begun.elapsed()
        };
        // The first one may wait for the program itself.
        let whole = run().min(run());
        let (mut n, before) = (0, killed);
        // Who comes too late does not count.
        while killed - before < times && n < 20 * times {
            n += 1;
            let with_old = n % 2 == 0;
            place.reset(with_old);
            let mut child = start(with_old);
            // Spread evenly over the run, and in another order than time: the golden ratio.
            let part = (n as f64 * 0.618_033_988_75).fract();
            std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * part));
            child.kill().expect("killed");
            killed += u64::from(child.wait().expect("urimill ends").code().is_none());
            check_and_run_again(&place, with_old, &format!("{name}, killed at {part:.3} of its time"));
        }
    }
    println!("killed {killed} times");
    assert!(killed >= 3 * times, "{killed}");
}

#[test]
fn killed_at_some_instants() {
    at_random(5);
}

#[test]
#[ignore = "a minute: 300 instants"]
fn killed_three_hundred_times() {
    at_random(100);
}
