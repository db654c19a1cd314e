#!/usr/bin/env python3
"""Rates of the readers of logs: a row for each family, on lines that do not repeat. Prints Markdown.

    benches/families.py [--rows N] [--runs N] [--only NAME,…] [--binary PATH] [--no-peers]

The lines are those of tests/samples/logs, each as often as it takes, with another path of the shared list in its URI
each time. Each program runs with one thread, and the clock is the processor time of its process: other work on the
machine makes it longer by little. The figure is the best of the runs, in MB/s of the log (10⁶ bytes).

- urimill, columns: every column of the format and urimill's own, as an Arrow stream to /dev/null.
- urimill, Parquet: the same to a file of Parquet (zstd, level 3).
- GoAccess reads the log and counts, without writing rows, where it knows the family: Debian's package `goaccess`.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from workbench import FOLDER, ROOT, build, machine  # noqa: E402

SAMPLES = ROOT / "tests/samples/logs"
# Where the path of a request stands: behind a method, in a member of an object, in a field of its own, in a URI.
PATHS = [
    re.compile(r'\b(?:GET|POST|HEAD|PUT|OPTIONS|DELETE)"?[ \t]+"?(?:https?://[^/\s"]+)?(/[^\s"?\\,]*)'),
    re.compile(r'"[\w.]*(?:ur[il]|UR[IL]|[pP]ath|original|requestUrl)":\s*"(?:https?://[^/\s"]+)?(/[^\s"?\\,]*)'),
    re.compile(r'(?<=[ \t",])(/[^\s"?\\,]*)'),
    re.compile(r'https?://[^/\s"]+(/[^\s"?\\,]*)'),
]
WORD = re.compile(r"[\w/.~-]{2,120}")

# The families that GoAccess knows, as it calls them.
GOACCESS = {
    "alb": "AWSALB",
    "cloudfront": "CLOUDFRONT",
    "caddy": "CADDY",
    "s3": "AWSS3",
}


def paths(rows):
    """Other paths again and again, from the shared list where it is at hand."""
    shared = Path(os.environ.get("URIMILL_SHARED", ROOT / "../shared")) / "corpora/kasztp.txt"
    if not shared.exists():
        return [f"/a/{row % 997}/b/{row}.html" for row in range(rows)]
    found = []
    for line in shared.read_text(errors="replace").splitlines():
        path = line.partition("//")[2].partition("/")[2].partition("?")[0]
        if WORD.fullmatch(path):
            found.append("/" + path)
    return [f"{found[row % len(found)]}{row // len(found) or ''}" for row in range(rows)]


def around(line):
    """The line before its path and behind it, where it has one."""
    found = next((found for found in (path.search(line) for path in PATHS) if found), None)
    return found and (line[: found.start(1)], line[found.end(1) :])


def make_log(sample, rows):
    """A log of so many lines in the manner of a sample, and the lines of its header."""
    log = FOLDER / f"{sample.stem}-{rows}.log"
    lines = sample.read_text().splitlines()
    header = [line for line in lines if line.startswith("#")]
    # A name of fields in CSV is a header too.
    if not header and not around(lines[0]):
        header = lines[:1]
    body = [parts for line in lines if line not in header and (parts := around(line))]
    if not body:
        sys.exit(f"no line of {sample} has a path")
    if not log.exists():
        with log.open("w") as out:
            out.writelines(f"{line}\n" for line in header)
            for row, path in enumerate(paths(rows)):
                out.write(path.join(body[row % len(body)]) + "\n")
    return log, header


def seconds(command, runs):
    """The processor time of the best run, and what it printed."""
    best, said = None, ""
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            return None, done.stderr.strip().splitlines()[-1:] or ["no reason"]
        taken = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best, said = min(best or taken, taken), done.stdout + done.stderr
    return best, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000, metavar="N", help="lines of each log")
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    parser.add_argument("--only", default="", metavar="NAME,…", help="families, by the names of their samples")
    parser.add_argument("--binary", metavar="PATH", help="urimill's, instead of one that cargo builds")
    parser.add_argument("--no-peers", action="store_true", help="without GoAccess")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    binary, about = build(options.binary)
    counts = not options.no_peers and shutil.which("goaccess")
    samples = sorted(SAMPLES.glob("*.log"))
    only = options.only.split(",") if options.only else [sample.stem for sample in samples]
    quiet = ["--threads", "1", "--progress", "never", "--force"]
    print(f"- machine: {machine()}\n- {about}")
    print(f"- data: {options.rows:,} lines of each family; figures: MB/s, best of {options.runs}\n")
    print("| family | urimill, columns | urimill, Parquet | GoAccess |")
    print("|---|---:|---:|---:|")
    for sample in samples:
        if sample.stem not in only:
            continue
        log, header = make_log(sample, options.rows)
        size = log.stat().st_size / 1e6
        output = FOLDER / f"{os.getpid()}.parquet"
        rate = lambda taken: f"{size / taken:.0f}" if taken else ""
        columns, said = seconds(
            [binary, "normalize", log, *quiet, "--to", "arrow-stream", "-o", "/dev/null", "--summary", "json"], options.runs
        )
        if columns is None:
            print(f"| {sample.stem} | {said} |")
            continue
        written, _ = seconds([binary, "normalize", log, *quiet, "-o", output, "--summary", "none"], options.runs)
        output.unlink(missing_ok=True)
        cells = [rate(columns), rate(written)]
        family = GOACCESS.get(sample.stem)
        if counts and family:
            page = FOLDER / "goaccess.json"
            peer, said = seconds(
                ["goaccess", log, f"--log-format={family}", "--no-global-config", "--no-progress", "-o", page], options.runs
            )
            cells.append(rate(peer))
            if peer is None:
                print(f"GoAccess, {sample.stem}: {said}", file=sys.stderr)
        else:
            cells.append("")
        print(f"| {sample.stem} |", *(f"{cell} |" for cell in cells))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
