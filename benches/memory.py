"""Peak memory of kinds of run: `memory.py [--binary FILE] [--large] [--folder DIR]` prints the table of
docs/RELIABILITY.md. Each run is a process of its own; its peak is the most resident memory that the kernel counted for
it (`ru_maxrss`). The inputs are made in the folder, 1.2 GB in all; `--large` adds a sort of 4 GiB and a count of 10^8
lines, which take 20 GB of disk and some twenty minutes.
"""

import argparse
import os
import random
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from workbench import build, machine

THREADS = [1, 2, 16, 64]
# (kind of run, arguments): IN is an input with its own options, OUT a name in a folder that is new for each run.
KINDS = [
    ("lines or CSV to Parquet", "normalize IN --to parquet -o OUT"),
    ("the same, `--verify`", "normalize IN --to parquet -o OUT --verify"),
    ("to CSV", "normalize IN --to csv -o OUT"),
    ("to an Arrow stream", "normalize IN --to arrow-stream -o OUT"),
    ("to a directory, `--partition-by scheme`", "normalize IN --to parquet -o OUT/ --partition-by scheme"),
    ("`--sort-by uri` to Parquet", "normalize IN --to parquet -o OUT --sort-by uri"),
    ("`dedupe` to Parquet", "dedupe IN -o OUT.parquet"),
]


def write(path, pieces):
    if not path.exists():
        partial = path.with_suffix(".partial")
        with open(partial, "wb") as file:
            for piece in pieces:
                file.write(piece)
        partial.rename(path)
    return path


def short(lines, seed=1):
    """Lines of some 42 bytes, nearly all distinct."""
    rng = random.Random(seed)
    for _ in range(0, lines, 10_000):
        rows = (f"http://h{rng.randrange(10**5)}.example/{rng.randrange(10**12):x}?q={rng.randrange(10**4)}\n" for _ in range(10_000))
        yield "".join(rows).encode()


def long(records):
    for number in range(records):
        yield f"http://h.example/{number}/".encode() + b"a" * (15 << 20) + b"\n"


def wide(columns, rows):
    rng = random.Random(2)
    yield (",".join(["url", *(f"field_{i}" for i in range(1, columns))]) + "\n").encode()
    for number in range(rows):
        values = ",".join(str(rng.randrange(10**6)) for _ in range(1, columns))
        yield f"http://h.example/{number},{values}\n".encode()


def peak(binary, arguments, input_arguments):
    """Peak in MiB, or the sentence with which the run ended."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        words = arguments.replace("OUT", str(Path(folder) / "out")).split()
        at = words.index("IN")
        words[at : at + 1] = [*input_arguments, "--progress", "never"]
        process = subprocess.Popen([binary, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": folder})
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            return f"exit {process.returncode}: {said.strip().splitlines()[-1] if said.strip() else ''}"
        return usage.ru_maxrss >> 10


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "urimill-memory")
    options = parser.parse_args()
    binary, about = build(options.binary)
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = str(options.folder)
    many = write(options.folder / "many.txt", short(5_000_000))
    inputs = [
        ("many", [str(many), "--from", "lines"], "5,000,000 lines of 42 bytes"),
        ("long", [str(write(options.folder / "long.txt", long(40))), "--from", "lines"], "40 records of 15 MiB"),
        ("wide", [str(write(options.folder / "wide.csv", wide(1_000, 20_000))), "--from", "csv", "--uri-field", "url", "--keep", "all"], "1,000 columns, 20,000 rows of CSV"),
    ]
    print(f"{about}; {machine()}. Peaks in MiB.\n")
    print("Inputs: " + "; ".join(f"*{name}*, {what}" for name, _, what in inputs) + ".\n")
    print("| kind of run | input | " + " | ".join(f"{threads} thread{'s' if threads > 1 else ''}" for threads in THREADS) + " |")
    print("|---|---|" + "---|" * len(THREADS))
    for kind, arguments in KINDS:
        for name, input_arguments, _ in inputs:
            if name == "wide" and arguments.startswith("dedupe"):
                # It writes no columns but its own.
                input_arguments = [argument for argument in input_arguments if argument not in ("--keep", "all")]
            peaks = [peak(binary, f"{arguments} --threads {threads}", input_arguments) for threads in THREADS]
            print(f"| {kind} | {name} | " + " | ".join(map(str, peaks)) + " |", flush=True)
    if options.large:
        print("\n| large run, two threads | default | `--memory 128M` |\n|---|---|---|")
        hundred = write(options.folder / "hundred.txt", short(100_000_000, seed=3))
        for what, arguments in [
            (f"`--sort-by uri` of {hundred.stat().st_size / (1 << 30):.1f} GiB to Parquet", "normalize IN --to parquet -o OUT --sort-by uri --threads 2"),
            ("`dedupe` of 100,000,000 lines to Parquet", "dedupe IN -o OUT.parquet --threads 2"),
        ]:
            peaks = [peak(binary, arguments + memory, [str(hundred), "--from", "lines"]) for memory in ("", " --memory 128M")]
            print(f"| {what} | " + " | ".join(map(str, peaks)) + " |", flush=True)


main()
