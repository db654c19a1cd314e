#!/usr/bin/env python3
"""Shows of each row of docs/CONFORMANCE.md that a test it names fails where the behaviour is broken.

rows.tsv holds edits of the sources and, for each row, the mutant and the test that has to fail. All edits are put into
one copy of the repository, below the target directory, each behind a question `mutated("name")`, which the environment
variable URIMILL_MUTANT answers. So the crate is built once, and a mutant takes as long as its test.

    rows.py                  every row
    rows.py 2396: 3986:6.    the rows that begin so
    rows.py --apply          only put the edits in, and say which no longer apply
    rows.py --keep           do not build again: use what the last run built

Exit code 0: every test failed that had to, and passes without a mutant.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
COPY = TARGET / "mutants" / "rows"
CONFIG = [
    option
    for package in ["urimill", *sorted(f"urimill-{path.name}" for path in (ROOT / "crates").iterdir())]
    for setting in ["opt-level=1", "debug=0"]
    for option in ["--config", f"profile.dev.package.{package}.{setting}"]
]
SECONDS = int(os.environ.get("URIMILL_TIMEOUT", "180"))

HELPERS = """
/// Whether the mutant of this name is asked for.
pub(crate) fn mutated(name: &str) -> bool {
    static MUTANT: std::sync::OnceLock<Option<std::string::String>> = std::sync::OnceLock::new();
    MUTANT.get_or_init(|| std::env::var("URIMILL_MUTANT").ok()).as_deref() == Some(name)
}

/// Whether this flag is never to be set.
pub(crate) fn mutated_flag(bit: i32) -> bool {
    audit::FLAGS.iter().any(|flag| flag.bit == bit && mutated(&std::format!("flag:{}", flag.name)))
}
"""


def table():
    edits, shows = [], []
    for line in (ROOT / "tests/mutants/rows.tsv").read_text().splitlines():
        kind, *columns = line.split("\t")
        if kind == "edit":
            edits.append(columns)
        elif kind == "show":
            shows.append(columns)
    return edits, shows


def copy(edits):
    """The repository with every edit in it. Files that stay the same keep their times, so that little is built anew."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    texts, problems = {}, []
    for path, old, new in edits:
        text = texts.get(path) or (ROOT / path).read_text()
        if text.count(old) != 1:
            problems.append(f"{path}: stands {text.count(old)} times: {old}")
            continue
        texts[path] = text.replace(old, re.sub(r"\bM\(([\w:-]+)\)", r'crate::mutated("\1")', new))
    root = "crates/uri/src/lib.rs"
    texts[root] = (texts.get(root) or (ROOT / root).read_text()) + HELPERS
    for name in listed.stdout.splitlines():
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        content = texts[name].encode() if name in texts else source.read_bytes()
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        if name in texts:
            target.write_bytes(content)
            os.utime(target)
    return problems


def build(targets):
    command = ["cargo", *CONFIG, "test", "--workspace", "--no-run", "--message-format=json"]
    for target in targets:
        command += ["--test", target]
    built = subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, text=True, env=environment(None))
    if built.returncode != 0:
        for line in built.stdout.splitlines():
            message = json.loads(line).get("message") or {}
            if isinstance(message, dict) and message.get("level") == "error":
                print(message["rendered"])
        sys.exit("the mutants do not compile")
    found = {}
    for line in built.stdout.splitlines():
        artifact = json.loads(line)
        if artifact.get("executable") and artifact["target"]["kind"] == ["test"]:
            found[artifact["target"]["name"]] = artifact["executable"]
    (COPY / "tests.json").write_text(json.dumps(found))
    return found


def environment(mutant):
    shared = os.environ.get("URIMILL_SHARED", str(ROOT / "../shared"))
    # RUSTFLAGS would build what the crate depends on again.
    changed = {"CARGO_TARGET_DIR": str(TARGET), "URIMILL_SHARED": str(Path(shared).resolve()), "RUST_BACKTRACE": "0"}
    changed["URIMILL_MUTATIONS"] = os.environ.get("URIMILL_MUTATIONS", "50000")
    if mutant is not None:
        changed["URIMILL_MUTANT"] = mutant
    return os.environ | changed


def passes(binary, test, mutant):
    """Whether a test passes; one that takes too long does not."""
    try:
        run = subprocess.run(
            [binary, "--exact", test], cwd=COPY, env=environment(mutant), capture_output=True, text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    if "running 1 test" not in run.stdout:
        sys.exit(f"there is no test {test}")
    return run.returncode == 0


def main(arguments):
    edits, shows = table()
    problems = copy(edits)
    for problem in problems:
        print(f"no longer applies: {problem}")
    names = {name for _, _, new in edits for name in re.findall(r"\bM\(([\w:-]+)\)", new)}
    unknown = [mutant for _, mutant, _ in shows if mutant not in names and not mutant.startswith("flag:")]
    problems += [f"no edit has the mutant {mutant}" for mutant in unknown]
    if "--apply" in arguments:
        print("\n".join(problems) or f"{len(edits)} edits, {len(shows)} rows")
        sys.exit(bool(problems))
    prefixes = [argument for argument in arguments if not argument.startswith("-")]
    shows = [show for show in shows if not prefixes or show[0].startswith(tuple(prefixes))]
    binaries = COPY / "tests.json"
    keep = "--keep" in arguments and binaries.is_file()
    binaries = json.loads(binaries.read_text()) if keep else build(sorted({t.split("::")[0] for _, _, t in shows}))
    sound, lived = {}, []
    for row, mutant, test in shows:
        target, _, name = test.partition("::")
        if test not in sound:
            sound[test] = passes(binaries[target], name, None)
        if not sound[test]:
            print(f"{row}\t{test} fails without a mutant", flush=True)
            lived.append(row)
        elif passes(binaries[target], name, mutant):
            print(f"{row}\t{test} passes with {mutant}", flush=True)
            lived.append(row)
        else:
            print(f"{row}\tshown: {test} fails with {mutant}", flush=True)
    print(f"{len(shows) - len(lived)} of {len(shows)} rows shown")
    sys.exit(bool(lived or problems))


if __name__ == "__main__":
    main(sys.argv[1:])
