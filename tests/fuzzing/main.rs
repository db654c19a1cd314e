//! The fuzz targets (`urimill_testkit::fuzz`) as ordinary tests: seeded mutations of each target's inputs, the same in
//! every run; and every input that ever broke one (`tests/regressions`). `fuzz/` has the long runs.

mod inputs;
mod made;
mod written;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use inputs::Inputs;
use urimill_testkit::fuzz as bodies;
use urimill_testkit::random::Random;

/// Runs the body on `data` and prints the input if it fails.
fn hold(target: &str, data: &[u8], which: &str) {
    let outcome = catch_unwind(AssertUnwindSafe(|| bodies::run(target, data)));
    assert!(outcome.is_ok(), "{target} does not hold for {which}: b\"{}\"", data.escape_ascii());
}

/// The same numbers for a target in every run.
fn random_of(target: &str) -> Random {
    Random(target.bytes().map(u64::from).sum())
}

/// Runs a target with `count` inputs of a kind.
fn run(target: &str, inputs: Inputs, count: usize) {
    let mut random = random_of(target);
    for number in 0..count {
        let data = inputs.next(&mut random);
        hold(target, &data, &format!("input {number}"));
    }
}

/// (target, its inputs, their number): about a minute for all, on two cores without optimization for the machine.
macro_rules! targets {
    ($($name:ident $inputs:ident $count:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            run(stringify!($name), Inputs::$inputs(), $count);
        })*

        /// Writes the first inputs of each target for libFuzzer, if the variable names a folder (`fuzz/seeds.sh`).
        #[test]
        fn seeds() {
            let Some(folder) = std::env::var_os("URIMILL_FUZZ_SEEDS") else { return };
            for (target, inputs) in [$((stringify!($name), Inputs::$inputs())),*] {
                let (folder, mut random) = (Path::new(&folder).join(target), random_of(target));
                fs::create_dir_all(&folder).expect("a folder");
                for number in 0..300 {
                    let file = folder.join(format!("made-{number}"));
                    fs::write(file, inputs.next(&mut random)).expect("a file");
                }
            }
        }

        #[test]
        fn every_target_has_its_mutations() {
            let names: Vec<_> = bodies::TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!([$(stringify!($name)),*].as_slice(), names);
        }
    };
}

targets! {
    parse uris 500_000, normalize uris 200_000, resolve pairs 200_000, relativize pairs 200_000, equal spellings 100_000, explain pairs 50_000,
    repair uris 300_000, extract prose 20_000, kernel lists 20_000, others pairs 500_000, url uris 300_000,
    url_resolve pairs 300_000, url_others pairs 200_000, batch lists 20_000, targets lists 20_000,
    lines lists 5_000, csv csv 3_000, tsv tsv 3_000, jsonl jsonl 3_000, heritrix heritrix 5_000, cdx cdx 5_000,
    cdxj cdxj 5_000, clf clf 5_000, auto logs 2_000, warc warc 1_000, arc arc 1_000, wacz wacz 2_000, sitemap sitemap 2_000,
    feed feed 2_000, har har 1_000, nutch nutch 1_000, log samples 1_000, pages pages 1_000, encoding encoded 3_000, compressed compressed 20_000, parquet parquet 2_000,
    arrow arrow 2_000,
}

/// The folder of a target below `tests/regressions`, with one file for each defect.
#[test]
fn what_once_broke_a_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let list = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
        paths.sort();
        paths
    };
    let mut count = 0;
    for target in list(&folder) {
        let name = target.file_name().and_then(|name| name.to_str()).expect("a target's name");
        for path in list(&target) {
            let data = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            hold(name, &data, &path.display().to_string());
            count += 1;
        }
    }
    assert!(count > 0, "no input in {}", folder.display());
}
