#!/usr/bin/env python3
"""The report of a log: urimill beside GoAccess, in turns, processor time of each.

    benches/reports.py LOG [--lines N] [--runs N] [--threads N] [--program target/release/urimill]

LOG is a real log in combined format. Its lines are repeated up to N; a fifth of them get a new address, a tenth a new
path. GoAccess is Debian's package."""

import argparse
import pathlib
import random
import resource
import subprocess
import tempfile


def log(source, path, lines):
    """A log of `lines` lines, made of those of `source`."""
    known = pathlib.Path(source).read_bytes().splitlines()
    random.seed(1)
    with open(path, "wb") as out:
        for number in range(lines):
            line = known[number % len(known)]
            if random.random() < 0.2:
                address = b"10.%d.%d.%d" % tuple(random.randrange(256) for _ in range(3))
                line = address + line[line.index(b" ") :]
            if random.random() < 0.1:
                line = line.replace(b" HTTP/1", b"/%d HTTP/1" % number, 1)
            out.write(line + b"\n")


def measured(line):
    """Processor time (user, system) in seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--program", action="append", help="of urimill; may be given more than once")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/access.log"
        log(arguments.log, path, arguments.lines)
        goaccess = ["goaccess", path, "--log-format=COMBINED", "--no-global-config", "-o", f"{folder}/theirs.html"]
        commands = {"goaccess": goaccess}
        for program in arguments.program or ["target/release/urimill"]:
            output = ["-o", f"{folder}/ours.html", "--force", "--summary", "none"]
            commands[program] = [program, "report", path, "--threads", arguments.threads, *output]
        times = {name: [] for name in commands}
        for _ in range(arguments.runs):
            for name, command in commands.items():
                times[name].append(measured(command))
        least = {name: min(map(sum, runs)) for name, runs in times.items()}
        for name, runs in times.items():
            shown = ", ".join(f"{user:.2f} + {system:.2f}" for user, system in runs)
            print(f"{name}: {shown} s (user + system); least {least[name]:.2f} s, GoAccess's ÷ {least['goaccess'] / least[name]:.1f}")


main()
