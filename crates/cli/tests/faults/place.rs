//! Where runs are tried: inputs, outputs from before, and what a run leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use urimill::Result;
use urimill::files::{Operation, Outcome, watch};

/// Runs that are tried: `IN` stands for the directory of inputs, `OUT` for that of outputs, `TEMP` for that of what
/// does not fit into memory. `few`, `some` and `many` are lists of 400, 16,000 and 40,000 URIs.
/// `some` are so many as do not fit into a mebibyte.
pub(crate) const RUNS: [(&str, &str); 14] = [
    ("parquet", "normalize IN/few.txt -o OUT/t.parquet --rejects OUT/bad.csv"),
    ("arrow", "normalize IN/few.txt.gz -o OUT/t.arrow"),
    ("arrow stream", "normalize IN/few.txt -o OUT/t.arrows"),
    ("csv", "normalize IN/few.txt -o OUT/t.csv --chunk 4000"),
    ("jsonl", "normalize IN/few.txt IN/few.txt.gz -o OUT/t.jsonl --rejects OUT/bad.parquet --verify"),
    ("uris", "normalize IN/few.txt -o OUT/t.txt"),
    ("partitions", "normalize IN/few.txt -o OUT/t/ --partition-by scheme --to parquet --verify"),
    ("files by size", "normalize IN/few.txt -o OUT/t/ --file-size 20K --to csv --chunk 4000"),
    ("a table", "normalize IN/few.parquet --from parquet --uri-field uri -o OUT/t.parquet --verify"),
    (
        "sorted",
        "normalize IN/some.txt -o OUT/t.arrow --columns host,uri --sort-by host --memory 1M --temp-dir TEMP",
    ),
    ("extract", "extract IN/few.txt IN/few.txt.gz -o OUT/t.jsonl --to jsonl"),
    ("report", "report IN/few.txt -o OUT/r.html --json OUT/r.json --state OUT/r.state"),
    ("distinct", "dedupe IN/few.txt -o OUT/t.csv --verify"),
    ("dedupe", "dedupe IN/some.txt -o OUT/t.jsonl --memory 1M --temp-dir TEMP"),
];

/// Files by path, with what is in them; directories that hold nothing are not there.
pub(crate) type Tree = BTreeMap<PathBuf, Vec<u8>>;

pub(crate) struct Place {
    root: tempfile::TempDir,
    pub(crate) words: Vec<String>,
    /// Outputs of an earlier run, over other inputs.
    pub(crate) old: Tree,
    /// Outputs of this run.
    pub(crate) new: Tree,
    /// How many operations of a kind that changes anything such a run has.
    pub(crate) operations: usize,
    /// Whether something went to the directory for what does not fit into memory.
    pub(crate) spilled: bool,
}

/// One run at a time: the watcher is one for the process.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn list(lines: usize, host: &str) -> String {
    let schemes = ["http", "https", "ftp"];
    let line = |n: usize| match n % 50 {
        49 => format!("<no URI {n}>\n"),
        _ => format!("{}://{}.{host}.example/a/{n}?q={n:09}\n", schemes[n % 3], n * 7919 % 100_003),
    };
    (0..lines).map(line).collect()
}

impl Place {
    /// Must be called alone.
    pub(crate) fn new(line: &str) -> Place {
        // Where the system has memory as a disk, syncing takes no time.
        let memory = tempfile::tempdir_in("/dev/shm");
        let root = memory.or_else(|_| tempfile::tempdir()).expect("a directory");
        for name in ["in", "out", "temp"] {
            fs::create_dir(root.path().join(name)).expect("a directory");
        }
        let path = root.path().to_str().expect("UTF-8").to_owned();
        let words = line.replace("IN/", &format!("{path}/in/")).replace("OUT/", &format!("{path}/out/"));
        let told = if words.starts_with("extract") { "" } else { " --threads 1 --summary none" };
        let words = format!("urimill {words}{told}").replace("TEMP", &format!("{path}/temp"));
        let words = words.split(' ').map(str::to_owned).collect();
        let (old, new) = (Tree::new(), Tree::new());
        let mut place = Place { root, words, old, new, operations: 0, spilled: false };
        place.write_inputs("old");
        place.run(false).expect("a run over other inputs");
        place.old = place.tree();
        place.write_inputs("new");
        let seen = Arc::new(Mutex::new((0, false)));
        let (counted, temp) = (Arc::clone(&seen), place.root.path().join("temp"));
        watch(Some(Arc::new(move |operation, path: &Path| {
            let mut seen = counted.lock().expect("a count");
            seen.0 += usize::from(changes(operation));
            seen.1 |= operation == Operation::Write && path == temp;
            Outcome::Real
        })));
        place.run(true).expect("a run");
        watch(None);
        (place.operations, place.spilled) = *seen.lock().expect("a count");
        place.new = place.tree();
        assert_ne!(place.old, place.new);
        place
    }

    fn write_inputs(&self, host: &str) {
        let inputs = self.root.path().join("in");
        fs::write(inputs.join("few.txt"), list(400, host)).expect("a file");
        fs::write(inputs.join("some.txt"), list(16_000, host)).expect("a file");
        fs::write(inputs.join("many.txt"), list(40_000, host)).expect("a file");
        let packed = fs::File::create(inputs.join("few.txt.gz")).expect("a file");
        let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, list(300, host).as_bytes()).expect("gzip");
        packed.finish().expect("gzip");
        let (from, to) = (inputs.join("few.txt"), inputs.join("few.parquet"));
        let names = [from, to].map(|path| path.to_str().expect("UTF-8").to_owned());
        let line =
            ["urimill", "normalize", &names[0], "-o", &names[1], "--force", "--columns", "uri", "--summary"];
        urimill_cli::run_line(&[&line[..], &["none"]].concat()).expect("a table");
    }

    /// `step`, or a larger one for a run of many operations: they are alike.
    pub(crate) fn step(&self, step: usize) -> usize {
        if self.is_large() { self.operations * step / 50 } else { step }
    }

    /// Whether it has many operations.
    pub(crate) fn is_large(&self) -> bool {
        const MANY: usize = 500;
        self.operations >= MANY
    }

    pub(crate) fn root(&self) -> &str {
        self.root.path().to_str().expect("UTF-8")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.root.path().join("out")
    }

    pub(crate) fn line(&self, force: bool) -> Vec<&str> {
        let words = self.words.iter().map(String::as_str);
        words.chain(force.then_some("--force")).collect()
    }

    /// The run, in this process.
    pub(crate) fn run(&self, force: bool) -> Result<()> {
        urimill_cli::run_line(&self.line(force))
    }

    /// Outputs as they were before: the old ones, or none.
    pub(crate) fn reset(&self, with_old: bool) {
        fs::remove_dir_all(self.out()).expect("removed");
        fs::create_dir(self.out()).expect("a directory");
        for (path, bytes) in self.old.iter().filter(|_| with_old) {
            let path = self.out().join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, bytes).expect("a file");
        }
    }

    pub(crate) fn tree(&self) -> Tree {
        fn visit(root: &Path, directory: &Path, tree: &mut Tree) {
            for entry in fs::read_dir(directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    visit(root, &path, tree);
                } else {
                    // It says how long the run took.
                    let is_summary = path.ends_with("_summary.json");
                    let bytes = if is_summary { Vec::new() } else { fs::read(&path).expect("a file") };
                    tree.insert(path.strip_prefix(root).expect("below").to_owned(), bytes);
                }
            }
        }
        let mut tree = Tree::new();
        visit(&self.out(), &self.out(), &mut tree);
        tree
    }

    /// Each output is the old one, or absent where it was, or complete; returns the names of temporaries.
    pub(crate) fn check(&self, with_old: bool, what: &str) -> Vec<String> {
        let (mut left, tree) = (Vec::new(), self.tree());
        for name in fs::read_dir(self.out()).expect("a directory") {
            let name = name.expect("an entry").file_name().into_string().expect("UTF-8");
            if name.contains(".urimill-") {
                left.push(name);
            }
        }
        let outputs = self.new.keys().map(|path| path.iter().next().expect("a name"));
        for output in outputs.collect::<std::collections::BTreeSet<_>>() {
            let of = |tree: &Tree| -> Tree {
                let files = tree.iter().filter(|(path, _)| path.starts_with(output));
                files.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
            };
            let before = if with_old { of(&self.old) } else { Tree::new() };
            let now = of(&tree);
            let is_whole = now == before || now == of(&self.new);
            let sizes: Vec<_> = now.iter().map(|(path, bytes)| (path, bytes.len())).collect();
            assert!(is_whole, "{what}: {output:?} is neither old nor new: {sizes:?}");
        }
        left
    }
}

/// Whether an operation can leave something else after.
pub(crate) fn changes(operation: Operation) -> bool {
    !matches!(operation, Operation::Look | Operation::Open | Operation::Read | Operation::Seek)
}
