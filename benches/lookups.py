#!/usr/bin/env python3
"""Lookups in an index of web archives, warm, by the clock: one process answers keys one after the other.

    benches/lookups.py [--records N] [--keys N] [--program target/release/urimill]

The index is that of a made archive, of N responses without a body on 40,000 hosts, in each of the forms that `lookup`
reads."""

import argparse
import base64
import datetime
import hashlib
import pathlib
import random
import string
import subprocess
import tempfile
import time

FORMS = ["index.cdxj", "zipnum", "index.parquet"]


def archive(path, records):
    """A WARC file, not compressed."""
    random.seed(5)
    words = ["".join(random.choices(string.ascii_lowercase, k=random.randint(3, 9))) for _ in range(5000)]
    endings = ["com", "org", "de", "co.uk", "net"]
    hosts = [f"{random.choice(words)}{number}.{random.choice(endings)}" for number in range(40_000)]
    start = datetime.datetime(2026, 1, 1)
    body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    with open(path, "w", newline="", buffering=1 << 22) as out:
        for number in range(records):
            # Some hosts have many pages.
            many = min(int(random.paretovariate(0.8)), len(hosts)) - 1
            host = hosts[many if number % 3 else number % len(hosts)]
            uri = f"http://{host}/{random.choice(words)}/{random.choice(words)}/{number}.html?id={number % 977}"
            digest = base64.b32encode(hashlib.sha1(str(number).encode()).digest()).decode()
            # Neighbours in the index were captured at other times of two months.
            date = start + datetime.timedelta(seconds=number * 7919 % 5_000_000)
            out.write(
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\n"
                f"WARC-Date: {date.isoformat()}Z\r\n"
                f"WARC-Payload-Digest: sha1:{digest}\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n{body}\r\n\r\n"
            )


def answers(program, index, keys):
    """How long each key took, in milliseconds, in order."""
    line = [program, "lookup", "--index", index]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def ask(key):
            begun = time.perf_counter()
            process.stdin.write(key.encode() + b"\n")
            process.stdin.flush()
            assert key.encode() in process.stdout.readline()
            return (time.perf_counter() - begun) * 1000

        for key in keys[:50]:
            ask(key)
        return sorted(ask(key) for key in keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--program", default="target/release/urimill")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = f"{folder}/made.warc"
        archive(source, arguments.records)
        for form in FORMS:
            output = ["--to", "zipnum"] if form == "zipnum" else []
            subprocess.run([arguments.program, "index", source, "-o", f"{folder}/{form}", *output], check=True)
        lines = pathlib.Path(f"{folder}/index.cdxj").read_text().splitlines()
        keys = [line.split(" ", 1)[0] for line in random.sample(lines, arguments.keys)]
        for form in FORMS:
            took = answers(arguments.program, f"{folder}/{form}", keys)
            middle, late = took[len(took) // 2], took[len(took) * 99 // 100]
            print(f"{form}: p50 {middle:.2f} ms, p99 {late:.2f} ms, most {took[-1]:.2f} ms")


main()
