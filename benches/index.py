#!/usr/bin/env python3
"""The index of a WARC: urimill beside FastWARC's own pass over the records, processor time, in turns.

    benches/index.py ARCHIVE [--runs N] [--skip-bodies] [--program target/release/urimill]

FastWARC reads headers of WARC and HTTP, and makes nothing of them. urimill writes CDXJ, with one thread; its time is
that of its process from start to end. Needs fastwarc (pip)."""

import argparse
import resource
import subprocess
import time

from fastwarc.warc import ArchiveIterator


def peer(path):
    """Processor time in seconds, and how many records there are."""
    begun, records = time.process_time(), 0
    with open(path, "rb") as stream:
        for _ in ArchiveIterator(stream, parse_http=True):
            records += 1
    return time.process_time() - begun, records


def own(program, path, options):
    """Processor time in seconds, and how many lines there are."""
    line = [program, "index", path, "--threads", "1", *options, "--summary", "none", "--progress", "never"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout.count(b"\n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--program", default="target/release/urimill")
    parser.add_argument("--skip-bodies", action="store_true")
    arguments = parser.parse_args()
    options = ["--skip-bodies"] if arguments.skip_bodies else []
    runs = [(peer(arguments.archive), own(arguments.program, arguments.archive, options)) for _ in range(arguments.runs)]
    (fastwarc, records), (urimill, lines) = (min(run[number] for run in runs) for number in (0, 1))
    print(f"FastWARC: {fastwarc:.4f} s, {records} records")
    print(f"urimill: {urimill:.4f} s, {lines} lines, {fastwarc / urimill:.2f}")


main()
