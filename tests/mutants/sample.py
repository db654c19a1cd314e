#!/usr/bin/env python3
"""Mutation testing of a sample of each module, from one build.

Each mutant changes one place: a condition is negated, a comparison or a logical operator becomes its neighbour, a 1
that is added or taken away becomes 0, a function returns a constant. All mutants of the sample are put into one copy of
the repository, below the target directory, each behind a question `mutated(number)`, which the environment variable
URIMILL_MUTANT answers. So the packages are built once, and a mutant takes as long as the tests that notice it. What
does not compile is left out before.

    sample.py 30                 thirty mutants of each module
    sample.py 50 batch format    fifty of each of these
    sample.py 50 --seed 2        others
    sample.py 50 --only 7,12 --all   of that sample these two, by the tests that take long, too

Exit code 0: at least 92 % were caught. survivors.md has what was found.
"""

import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
COPY = TARGET / "mutants" / "sample"
PACKAGES = sorted(path.name for path in (ROOT / "crates").iterdir())
LEVELS = {"urimill": 0} | {f"urimill-{name}": int(name == "uri") for name in PACKAGES}
# The number of units is theirs alone: cargo would take the packages of the copy for those of the repository.
SETTINGS = [s for p, n in LEVELS.items() for s in [f"{p}.opt-level={n}", f"{p}.debug=false", f"{p}.codegen-units=15"]]
CONFIG = [option for setting in SETTINGS for option in ["--config", f"profile.dev.package.{setting}"]]
SECONDS = int(os.environ.get("URIMILL_TIMEOUT", "300"))
GOAL = 0.92
# Stands for the question in a replacement: a text that no source contains.
ASKED = "\0"

# The files of a module, and the tests that are to notice, with parts of their names: the first that fails is enough.
SINGLE = ["spec", "columns", "kernels"]
FORMATS = "archives:: arrays:: described:: detect:: documents:: fields:: formats:: further:: indexes:: log_formats:: \
logs:: marked:: nulls:: pages:: pages_in_mail:: robots:: tables:: text_inputs:: uri_sources:: warc:: wat::"
MODULES = {
    "uri": (["crates/uri/src/*.rs"], [*SINGLE, "api"]),
    "normalize": (["crates/uri/src/normalize/**/*.rs"], [*SINGLE, "cli"]),
    "resolve": (["crates/uri/src/resolve/**/*.rs"], [*SINGLE, "cli"]),
    "batch": (["crates/columns/src/batch/**/*.rs"], ["columns", "engine", "write", "cli"]),
    "format": (["crates/read/src/format/**/*.rs"], ["logs", "pages", "archives", "cli", "inputs", "read"]),
}
OTHERS = "answers:: explain:: flags:: golden:: keys:: passing:: passwords:: rejects:: summary::"
NAMES = {"cli": FORMATS.split() + OTHERS.split()}
# What is left out without `--all`: a test that takes long, and the documents.
SLOW = """conformance:: corpora edges:: every_kernel every_memory_limit exhaustive faults:: memory_is_bounded mutants
mutations:: numbers:: properties::normal_forms random_pairs the_rung_is_the_lowest the_table_does_not_depend""".split()
# Of `uri` the files that read one URI.
SINGLE_FILES = {"reference.rs", "parse.rs", "host.rs", "reject.rs", "segments.rs", "start.rs"}

HELPER = """
/// Whether the mutant with this number is asked for.
#[allow(missing_docs, dead_code)]
pub(crate) fn mutated(number: u32) -> bool {
    static MUTANT: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let asked = || std::env::var("URIMILL_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *MUTANT.get_or_init(asked) == number
}
"""

ATOM = r"[\w.&*]+(?:\([\w., &*]*\))?"
NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
CONSTANTS = {
    "bool": ["true", "false"], "usize": ["0", "1"], "u64": ["0", "1"], "i64": ["0", "1"], "u32": ["0", "1"],
    "u8": ["0"], "Option": ["None"], "String": ["std::string::String::new()"], "Vec": ["std::vec::Vec::new()"],
}


def places(text):
    """(from, to, replacement with ASKED for the question, what it is) of everything that may be changed."""
    end = text.find("#[cfg(test)]\nmod ")
    text = text[: end if end >= 0 else len(text)]
    comments = [match.span() for match in re.finditer(r"//[^\n]*", text)]
    found = []

    def add(at, to, new, what):
        if not any(a <= at < b for a, b in comments):
            found.append((at, to, new, what))

    for match in re.finditer(r"\bif (?!let\b)([^{}\n]*?) (\{|=>)", text):
        if "let " not in match[1]:
            add(*match.span(1), f"{ASKED} != ({match[1]})", f"if not {match[1]}")
    for match in re.finditer(rf"({ATOM}) (<|<=|>|>=|==|!=|&&|\|\|) ({ATOM}|b?'[^']*')(?=[ ,;)\n?])", text):
        left, operator, right = match.groups()
        # Brackets around it would change what the code means without a mutant: `!a && b`, `a || b && c`.
        before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
        if before.endswith("!") or operator == "||" and (before.endswith("&&") or after.startswith("&&")):
            continue
        changed = f"{left} {NEIGHBOUR[operator]} {right}"
        add(*match.span(), f"(if {ASKED} {{ {changed} }} else {{ {match[0]} }})", f"{match[0]} -> {changed}")
    for match in re.finditer(r"[+-] (1)\b(?![.\d_])", text):
        add(*match.span(1), f"(if {ASKED} {{ 0 }} else {{ 1 }})", f"{match[0]} -> {match[0][0]} 0")
    for match in re.finditer(r"\) -> (\w+)(?:<[^\n{]*>)? \{\n", text):
        name = re.findall(r"fn (\w+)", text[: match.start()])
        for constant in CONSTANTS.get(match[1], []):
            new = f"\nif {ASKED} {{ return {constant}; }}\n"
            add(match.end(), match.end(), new, f"{name[-1] if name else '?'} returns {constant}")
    return found


def sample(count, modules, seed):
    """(number, module, path, from, to, replacement, what), the same for a seed."""
    chosen, totals = [], {}
    for module in modules:
        paths = sorted({path for pattern in MODULES[module][0] for path in ROOT.glob(pattern)})
        paths = [path for path in paths if module != "uri" or path.name in SINGLE_FILES]
        every = [(path, *place) for path in paths for place in places(path.read_text())]
        totals[module] = len(every)
        random.Random(f"{seed} {module}").shuffle(every)
        taken, spans = 0, {}
        for path, at, to, new, what in every:
            own = spans.setdefault(path, [])
            if taken == count or any(at <= b and a <= to for a, b in own):
                continue
            own.append((at, to))
            taken += 1
            chosen.append((len(chosen) + 1, module, path.relative_to(ROOT).as_posix(), at, to, new, what))
    return chosen, totals


def copy(mutants):
    """The repository with the mutants in it. Files that stay the same keep their times."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    lines = {}
    roots = {f"{path.split('/src/')[0]}/src/lib.rs" for _, _, path, *_ in mutants}
    for name in listed.stdout.splitlines():
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        content = source.read_bytes()
        own = sorted((m for m in mutants if m[2] == name), key=lambda mutant: mutant[3])
        if own:
            text, out, last = content.decode(), "", 0
            for number, _, _, at, to, new, _ in own:
                out += text[last:at] + new.replace(ASKED, f"crate::mutated({number})")
                lines.setdefault(name, []).append((out.count("\n") + 1, number))
                last = to
            content = (out + text[last:]).encode()
        if name in roots:
            content += HELPER.encode()
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        target.write_bytes(content)
        os.utime(target)
    return lines


def environment(number):
    shared = os.environ.get("URIMILL_SHARED", str(ROOT / "../shared"))
    changed = {"CARGO_TARGET_DIR": str(TARGET), "URIMILL_SHARED": str(Path(shared).resolve())}
    changed |= {"URIMILL_MUTANT": str(number), "URIMILL_MUTATIONS": "20000", "RUST_BACKTRACE": "0"}
    changed |= {"RUSTC_BOOTSTRAP": "1", "CARGO_INCREMENTAL": "1"}
    return os.environ | changed


def cargo(*arguments):
    """Standard output's messages, and whether it went well."""
    settings = {key: value for key, value in environment(0).items() if key != "RUSTC_BOOTSTRAP"}
    done = subprocess.run(
        ["cargo", *CONFIG, *arguments, "--message-format=json"], cwd=COPY, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, env=settings,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.returncode == 0


def build(mutants, targets):
    """The mutants without those at which the compiler stops, and the tests by name, with the folders they run in."""
    tests = [option for target in targets for option in ["--test", target]]
    while True:
        lines = copy(mutants)
        messages, is_good = cargo("test", "--workspace", "--no-run", *tests)
        if is_good:
            return mutants, {
                message["target"]["name"]: (message["executable"], Path(message["manifest_path"]).parent)
                for message in messages
                if message.get("executable") and message["target"]["kind"] == ["test"]
            }
        errors = [message["message"] for message in messages if isinstance(message.get("message"), dict)]
        errors = [error for error in errors if error.get("level") == "error"]
        wrong = set()
        for error in errors:
            for span in error["spans"]:
                own = lines.get(span["file_name"].removeprefix(f"{COPY}/"), [])
                wrong |= {number for line, number in own if abs(line - span["line_start"]) <= 1}
        if not wrong:
            sys.exit("the copy does not compile\n" + "\n".join(error["rendered"] for error in errors[:3]))
        mutants = [mutant for mutant in mutants if mutant[0] not in wrong]


def failing(binary, folder, number, skipped, names):
    """The first tests that fail with a mutant; `time` where they do not end."""
    options = [] if "--all" in sys.argv else names
    skipped = skipped if "--all" in sys.argv else [*skipped, *SLOW]
    options = [*options, "-Zunstable-options"] + (["--fail-fast", "--test-threads=1"] if number else [])
    options += [option for test in skipped for option in ["--skip", test]]
    try:
        run = subprocess.run(
            [binary, *options], cwd=folder, env=environment(number), capture_output=True, text=True, errors="replace",
            timeout=SECONDS if number else None,
        )
    except subprocess.TimeoutExpired:
        return ["time"]
    failed = re.findall(r"^test (\S+).* FAILED$", run.stdout, re.MULTILINE)
    return failed or ([] if run.returncode == 0 else ["the process"])


def main(arguments):
    seed = arguments[arguments.index("--seed") + 1] if "--seed" in arguments else "1"
    only = arguments[arguments.index("--only") + 1].split(",") if "--only" in arguments else None
    words = [word for word in arguments if not word.startswith("-") and word not in [seed, *(only or [])]]
    count = int(next((word for word in arguments[:1] if word.isdigit()), "30"))
    modules = [word for word in words if word in MODULES] or list(MODULES)
    chosen, totals = sample(count, modules, seed)
    targets = list(dict.fromkeys(target for module in modules for target in MODULES[module][1]))
    mutants, binaries = build(chosen, targets)
    print(f"{len(chosen)} mutants, {len(mutants)} of which compile", flush=True)
    # What fails without a mutant cannot notice one.
    skipped = {target: failing(*binaries[target], 0, [], NAMES.get(target, [])) for target in targets}
    print("fail without a mutant:", {target: tests for target, tests in skipped.items() if tests}, flush=True)

    def caught(mutant):
        for target in MODULES[mutant[1]][1]:
            tests = failing(*binaries[target], mutant[0], skipped[target], NAMES.get(target, []))
            if tests:
                return f"{target}::{tests[0]}"
        return None

    wanted = [mutant for mutant in mutants if only is None or str(mutant[0]) in only]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("URIMILL_JOBS", "2"))) as pool:
        for mutant, by in zip(wanted, pool.map(caught, wanted)):
            number, module, path, at, *_, what = mutant
            line = (ROOT / path).read_text()[:at].count("\n") + 1
            print(f"{number}\t{path}:{line}\t{what}\t{by or 'SURVIVED'}", flush=True)
            results.setdefault(module, []).append(by is not None)
    for module, each in results.items():
        print(f"{module}: {sum(each)} of {len(each)} caught, sampled from {totals[module]}")
    every = [is_caught for each in results.values() for is_caught in each]
    print(f"{sum(every)} of {len(every)} caught, {sum(every) / max(len(every), 1):.0%}")
    sys.exit(sum(every) < GOAL * len(every))


if __name__ == "__main__":
    main(sys.argv[1:])
