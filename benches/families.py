#!/usr/bin/env python3
"""Rates of the readers of logs: a row for each family, on lines that do not repeat, beside GoAccess and DuckDB. Prints
Markdown.

    benches/families.py [--rows N] [--runs N] [--only NAME,…] [--binary PATH] [--no-peers]

The lines are those of tests/samples/logs, each as often as it takes, with another path of the shared list in its URI
each time. Each program runs with one thread, and the clock is the processor time of its process: other work on the
machine makes it longer by little. The figure is the best of the runs, in MB/s of the log (10⁶ bytes).

- urimill, columns: every column of the format and urimill's own, as an Arrow stream to /dev/null.
- urimill, Parquet: the same to a file of Parquet (zstd, level 3).
- urimill, parts: of its own columns the URI, scheme, host, path and query alone, which are those that DuckDB has.
- DuckDB: the same job, by the statement that `families_duckdb.py` has: fields typed, the parts of the URL by an
  expression, a file of Parquet (zstd, level 3). It must give as many rows as urimill, and the same host, path and query
  in the first 1,000 of them; what it gives else is reported. Its clock runs without its import. The ratio is that of
  its time to urimill's with the same columns.
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
import families_duckdb  # noqa: E402
from workbench import FOLDER, PYTHON, ROOT, build, install, machine  # noqa: E402

SAMPLES = ROOT / "tests/samples/logs"
# The places of a request's path: after a method, in a member of an object, in a field of its own, in a URI.
PATHS = [
    re.compile(r'\b(?:GET|POST|HEAD|PUT|OPTIONS|DELETE)"?[ \t]+"?(?:https?://[^/\s"]+)?(/[^\s"?\\,]*)'),
    re.compile(r'"[\w.]*(?:ur[il]|UR[IL]|[pP]ath|original|requestUrl)":\s*"(?:https?://[^/\s"]+)?(/[^\s"?\\,]*)'),
    re.compile(r'(?<=[ \t",])(/[^\s"?\\,]*)'),
    re.compile(r'https?://[^/\s"]+(/[^\s"?\\,]*)'),
]
WORD = re.compile(r"[\w/.~-]{2,120}")

# The families that GoAccess knows, as it calls them. Its formats of ELB, Squid, Traefik and W3C are of other lines than
# the samples.
GOACCESS = {
    "alb": "AWSALB",
    "caddy": "CADDY",
    "cloudfront": "CLOUDFRONT",
    "combined": "COMBINED",
    "gcs": "CLOUDSTORAGE",
    "s3": "AWSS3",
}

# Families without a sample of their own, and the options that they take.
GENERAL = {
    "combined": (
        [
            '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12345 "https://www.example.com/start"'
            ' "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0"',
            '2001:db8::1 - alice [17/May/2015:10:05:04 +0000] "POST /?b=c HTTP/2.0" 404 312 "-" "curl/8"',
        ],
        ["--from", "clf"],
    ),
    "jsonl": (
        [
            '{"ts":"2024-05-01T00:00:00Z","url":"https://www.example.com/","status":200,"size":87042,"agent":"Mozilla/5.0'
            ' (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0","referer":"https://en.example.org/wiki/Occam"}',
            '{"ts":"2024-05-01T00:00:01Z","url":"http://example.org/?b=c","status":404,"size":312,"agent":"curl/8","referer":""}',
        ],
        ["--from", "jsonl", "--uri-field", "url", "--keep", "ts,status,size,agent,referer"],
    ),
}


# urimill's own columns that DuckDB does not give.
OTHERS = ["record", "raw", "userinfo", "host_kind", "port", "fragment", "flags", "error", "error_offset", "raw_bytes"]


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
    """The line before its path and after it, if it has one."""
    found = next((found for found in (path.search(line) for path in PATHS) if found), None)
    return found and (line[: found.start(1)], line[found.end(1) :])


def make_log(name, rows):
    """A log of so many lines in the manner of a sample, and the lines of its header."""
    log = FOLDER / f"{name}-{rows}.log"
    lines = GENERAL[name][0] if name in GENERAL else (SAMPLES / f"{name}.log").read_text().splitlines()
    # Up to a second header, which names other fields.
    heads = [at for at, line in enumerate(lines) if line.lower().startswith("#fields")]
    lines = lines[: heads[1]] if len(heads) > 1 else lines
    header = [line for line in lines if line.startswith("#")]
    # A name of fields in CSV is a header too.
    if not header and not around(lines[0]):
        header = lines[:1]
    body = [parts for line in lines if line not in header and (parts := around(line))]
    if not body:
        sys.exit(f"no line of the sample of {name} has a path")
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


def duckdb(name, log, header, runs, written):
    """DuckDB's processor time for the same job as urimill has done in `written`, and what differs."""
    output = FOLDER / f"{os.getpid()}-duckdb.parquet"
    script = Path(families_duckdb.__file__)
    done = subprocess.run(
        [PYTHON, script, name, log, output, str(len(header)), str(runs)], capture_output=True, text=True
    )
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1:]
    ask = f"""
import duckdb
rows = lambda path, names: duckdb.sql(f"SELECT {{names}} FROM '{{path}}' LIMIT 1000").fetchall()
count = lambda path: duckdb.sql(f"SELECT count(*) FROM '{{path}}'").fetchall()[0][0]
own, other = {str(written)!r}, {str(output)!r}
print(count(own) - count(other))
text = lambda *names: ", ".join(f"coalesce({{name}}, '')" for name in names)
a = rows(own, text("host", "path", "query") + ", error")
b = rows(other, text("url_host", "url_path", "url_query"))
# A text outside of the grammar has no parts; DuckDB does not check it.
pairs = [(a, b) for (*a, error), b in zip(a, b) if not error and tuple(a) != b]
print(len(pairs), pairs[:1])
"""
    compared = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True).stdout.splitlines()
    output.unlink()
    said = [f"{compared[0]} rows fewer", f"{compared[1]} differ"] if compared[0] != "0" or compared[1][0] != "0" else []
    return float(done.stdout), said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000, metavar="N", help="lines of each log")
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    parser.add_argument("--only", default="", metavar="NAME,…", help="families, by the names of their samples")
    parser.add_argument("--binary", metavar="PATH", help="urimill's, instead of one that cargo builds")
    parser.add_argument("--no-peers", action="store_true", help="without GoAccess and DuckDB")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    binary, about = build(options.binary)
    counts = not options.no_peers and shutil.which("goaccess")
    names = sorted([sample.stem for sample in SAMPLES.glob("*.log")] + list(GENERAL))
    only = options.only.split(",") if options.only else names
    peers = "" if options.no_peers else ", DuckDB " + install(["duckdb"])["duckdb"]
    quiet = ["--threads", "1", "--progress", "never", "--force"]
    print(f"- machine: {machine()}\n- {about}{peers}")
    print(f"- data: {options.rows:,} lines of each family; figures: MB/s, best of {options.runs}\n")
    print("| family | urimill, columns | urimill, Parquet | urimill, parts | DuckDB | ratio | GoAccess |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in names:
        if name not in only:
            continue
        log, header = make_log(name, options.rows)
        size = log.stat().st_size / 1e6
        output = FOLDER / f"{os.getpid()}.parquet"
        rate = lambda taken: f"{size / taken:.0f}" if taken else ""
        read = [binary, "normalize", log, *GENERAL.get(name, ([], []))[1], *quiet]
        columns, said = seconds([*read, "--to", "arrow-stream", "-o", "/dev/null", "--summary", "json"], options.runs)
        if columns is None:
            print(f"| {name} | {said} |")
            continue
        few = ["--columns=" + ",".join(f"-{name}" for name in OTHERS)]
        parts, _ = seconds([*read, *few, "-o", output, "--summary", "none"], options.runs)
        written, _ = seconds([*read, "-o", output, "--summary", "none"], options.runs)
        cells = [rate(columns), rate(written), rate(parts), "", "", ""]
        if not options.no_peers and name in families_duckdb.FAMILIES:
            peer, said = duckdb(name, log, header, options.runs, output)
            cells[3], cells[4] = rate(peer), f"{peer / parts:.1f}" if peer and parts else ""
            if said:
                print(f"DuckDB, {name}: {' '.join(said)}", file=sys.stderr)
        family = GOACCESS.get(name)
        if counts and family:
            page = FOLDER / "goaccess.json"
            peer, said = seconds(
                ["goaccess", log, f"--log-format={family}", "--no-global-config", "--no-progress", "-o", page], options.runs
            )
            cells[5] = rate(peer)
            if peer is None:
                print(f"GoAccess, {name}: {said}", file=sys.stderr)
        output.unlink(missing_ok=True)
        print(f"| {name} |", *(f"{cell} |" for cell in cells))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
