#!/usr/bin/env python3
"""Rates of the readers of logs: a row for each family, on lines that do not repeat. Prints Markdown.

    benches/families.py [--rows N] [--runs N] [--only NAME,…] [--binary PATH] [--no-peers]

The lines are those of tests/samples/logs, each as often as it takes, with another path of the shared list in its URI
each time. Each program runs with one thread, and the clock is the processor time of its process: other work on the
machine makes it longer by little. The figure is the best of the runs, in MB/s of the log (10⁶ bytes).

- urimill, columns: every column of the format and urimill's own, as an Arrow stream to /dev/null.
- urimill and DuckDB, Parquet: the same log to a file of Parquet (zstd, level 3). DuckDB splits the line, casts time,
  numbers and sizes, and splits the URI by the expression of RFC 3986, Appendix B, which validates nothing. It has no
  reader for most families; the three that people load most stand for them.
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
from programs import APPENDIX_B, PARTS, quoted  # noqa: E402
from workbench import FOLDER, PYTHON, ROOT, build, install, machine  # noqa: E402

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
    "squid": "SQUID",
    "traefik": "TRAEFIKCLF",
    "caddy": "CADDY",
    "s3": "AWSS3",
    "w3c": "W3C",
    "clf": "COMBINED",
}

URI = f"regexp_extract({{uri}}, '{APPENDIX_B}', {PARTS}) AS parts"


def w3c(names):
    """DuckDB's columns of a log with these fields."""
    types = {name: "INTEGER" if name.startswith("sc-") or name in ("s-port", "time-taken") else "VARCHAR" for name in names}
    columns = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in types.items())
    return (
        f"SELECT *, (date || ' ' || time)::TIMESTAMP AS moment, "
        + URI.format(uri="\"cs-uri-stem\" || coalesce('?' || \"cs-uri-query\", '')")
        + f" FROM read_csv({{log}}, delim = ' ', quote = '', escape = '', header = false, auto_detect = false, "
        f"nullstr = '-', comment = '#', columns = {{{{{columns}}}}})"
    )


ALB = "type time elb client target request_time target_time response_time status target_status received sent request agent"
ALB += " cipher protocol arn trace domain certificate priority created actions redirect error targets statuses class reason"


def alb():
    kinds = {"time": "TIMESTAMPTZ", "created": "TIMESTAMPTZ", "status": "INTEGER", "received": "BIGINT", "sent": "BIGINT"}
    kinds |= {name: "DOUBLE" for name in ("request_time", "target_time", "response_time")}
    columns = ", ".join(f"{quoted(name)}: {quoted(kinds.get(name, 'VARCHAR'))}" for name in ALB.split())
    return (
        "SELECT *, split_part(request, ' ', 1) AS method, "
        + URI.format(uri="split_part(request, ' ', 2)")
        + f" FROM read_csv({{log}}, delim = ' ', quote = '\"', escape = '\"', header = false, auto_detect = false, "
        f"nullstr = '-', null_padding = true, ignore_errors = true, columns = {{{{{columns}}}}})"
    )


JSON = (
    "SELECT *, to_timestamp(ts) AS moment, "
    + URI.format(uri="request->>'host' || (request->>'uri')")
    + " FROM read_ndjson({log}, columns = {{level: 'VARCHAR', ts: 'DOUBLE', logger: 'VARCHAR', msg: 'VARCHAR', "
    "request: 'JSON', bytes_read: 'BIGINT', user_id: 'VARCHAR', duration: 'DOUBLE', size: 'BIGINT', status: 'INTEGER'}})"
)


def duckdb(log, output, select):
    """A program that writes the log to Parquet and prints how many rows."""
    copy = f"COPY ({select.format(log=quoted(str(log)))}) TO {quoted(str(output))} (FORMAT parquet, COMPRESSION zstd)"
    return f"import duckdb; d = duckdb.connect(); d.execute('SET threads = 1'); print(d.execute({copy!r}).fetchone()[0])"


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
    parser.add_argument("--no-peers", action="store_true", help="urimill alone")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    binary, about = build(options.binary)
    versions = {} if options.no_peers else install(["duckdb"])
    counts = not options.no_peers and shutil.which("goaccess")
    samples = sorted(SAMPLES.glob("*.log"))
    only = options.only.split(",") if options.only else [sample.stem for sample in samples]
    quiet = ["--threads", "1", "--progress", "never", "--force"]
    print(f"- machine: {machine()}\n- {about}")
    print("- peers:", ", ".join(f"{package} {version}" for package, version in versions.items()) or "none")
    print(f"- data: {options.rows:,} lines of each family; figures: MB/s, best of {options.runs}\n")
    print("| family | urimill, columns | urimill, Parquet | DuckDB, Parquet | GoAccess |")
    print("|---|---:|---:|---:|---:|")
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
        cells = [rate(columns)]
        select = {"w3c": lambda: w3c(header[-1].split()[1:]), "alb": alb, "caddy": lambda: JSON.replace("{{", "{").replace("}}", "}")}
        if sample.stem in select and not options.no_peers:
            own, _ = seconds([binary, "normalize", log, *quiet, "-o", output, "--summary", "none"], options.runs)
            statement = select[sample.stem]()
            if sample.stem == "caddy":
                statement = statement.replace("{level", "{{level").replace("'INTEGER'}", "'INTEGER'}}")
            peer, said = seconds([PYTHON, "-c", duckdb(log, output, statement)], options.runs)
            cells += [rate(own), rate(peer)]
            if peer is None:
                print(f"DuckDB, {sample.stem}: {said}", file=sys.stderr)
            output.unlink(missing_ok=True)
        else:
            cells += ["", ""]
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
