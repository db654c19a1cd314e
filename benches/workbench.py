"""Shared parts of the scripts that compare programs: their folder, the packages they need, the machine,
the list of URIs."""

import os
import platform
import random
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
FOLDER = TARGET / "compare"
PYTHON = FOLDER / "venv" / "bin" / "python"
SEED = 2024
# The generator's lines have this length on average, newline included; more are made than needed.
GENERATED_LENGTH = 60


def install(packages):
    """Packages of Python, in a virtual environment that stays; answers their versions."""
    packages = sorted(packages)
    if not PYTHON.exists():
        venv.create(FOLDER / "venv", with_pip=True)
    code = "import importlib.metadata, sys\nfor name in sys.argv[1:]: print(importlib.metadata.version(name))"
    ask = [PYTHON, "-c", code, *packages]
    if subprocess.run(ask, capture_output=True).returncode != 0:
        print(f"installing {', '.join(packages)}", file=sys.stderr)
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *packages], stdout=sys.stderr, check=True)
    versions = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split()
    versions = dict(zip(packages, versions, strict=True))
    if "chdb" in versions:
        code = "import chdb; print(chdb.query('SELECT version()', 'TSV'), end='')"
        engine = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        versions["chdb"] += f" (ClickHouse {engine})"
    return versions


def build(binary):
    """urimill, built where no binary is named, and what it says of itself."""
    if binary is None:
        subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "urimill"], cwd=ROOT, check=True)
        binary = TARGET / "release" / "urimill"
    binary = Path(binary).resolve()
    about = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    return binary, ", ".join(" ".join(line.split()) for line in about.strip().splitlines())


def machine():
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def corpora():
    """The lines of two public lists, and how they are called; made-up ones where the lists are missing."""
    folder = Path(os.environ.get("URIMILL_SHARED", ROOT / "../shared")) / "corpora"
    files = [folder / name for name in ("top100.txt", "eot2024_seedlists.txt")]
    if not all(file.exists() for file in files):
        return None
    lines = b"\n".join(file.read_bytes() for file in files).replace(b"\r", b"").split(b"\n")
    return [line for line in lines if line]


def generated(size):
    command = ["cargo", "run", "--release", "--quiet", "--example", "generate", "--"]
    rows = str(2 * size // GENERATED_LENGTH)
    done = subprocess.run([*command, "--seed", str(SEED), "--rows", rows], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    lines = []
    for line in done.stdout.split(b"\n"):
        try:
            # The peers take nothing but UTF-8.
            line.decode()
        except UnicodeDecodeError:
            continue
        if line:
            lines.append(line)
    return lines


def make_input(megabytes):
    """The lists shuffled again and again until the file has its size. The same bytes each time."""
    size = megabytes * 1_000_000
    lines = corpora()
    name, lines = ("model", generated(size)) if lines is None else ("te", lines)
    path = FOLDER / f"{name}-{megabytes}.txt"
    FOLDER.mkdir(parents=True, exist_ok=True)
    if path.exists():
        return path, name
    part, seed, rest = path.with_suffix(".part"), SEED, size
    with part.open("wb") as file:
        while rest > 0:
            random.Random(seed).shuffle(lines)
            seed += 1
            for line in lines:
                rest -= file.write(line + b"\n")
                if rest <= 0:
                    break
    part.rename(path)
    return path, name


def make_distinct(path):
    """The lines of a file, each with a parameter that no other line has: as many texts as lines."""
    to = path.with_name(f"{path.stem}-distinct.txt")
    if not to.exists():
        with path.open("rb") as lines, to.with_suffix(".part").open("wb") as file:
            for number, line in enumerate(lines):
                file.write(b"%s&n=%x\n" % (line.rstrip(b"\n"), number * 0x9E3779B1 % 2**32))
        to.with_suffix(".part").rename(to)
    return to


CSV_COLUMNS = 31
# The place of the URI among them.
URL_COLUMN = 12


def make_csv(path, size):
    """A table of the first lines of a file as fields among others, as a crawler's index has them; fields with commas
    or quotes are quoted."""
    to = path.with_name(f"{path.stem}-{CSV_COLUMNS}.csv")
    if not to.exists():
        kinds = [
            lambda i: b"%d" % (i * 7919 % 1_000_000),
            lambda i: b"2026-%02d-%02dT%02d:%02d:%02dZ" % (1 + i % 12, 1 + i % 28, i % 24, i % 60, i * 7 % 60),
            lambda i: b"" if i % 3 else b"x",
            lambda i: b"%016x" % (i * 0x9E3779B97F4A7C15 % 2**64),
            lambda i: b"10.%d.%d.%d" % (i % 256, i * 3 % 256, i * 7 % 256),
            lambda i: (b"text/html; charset=utf-8", b"image/png", b"application/json")[i % 3],
            lambda i: b"200" if i % 5 else b"404",
        ]
        with path.open("rb") as lines, to.with_suffix(".part").open("wb") as file:
            names = [b"url" if at == URL_COLUMN else b"c%d" % at for at in range(CSV_COLUMNS)]
            left = size - file.write(b",".join(names) + b"\n")
            for i, line in enumerate(lines):
                uri = line.rstrip(b"\n")
                if b"," in uri or b'"' in uri:
                    uri = b'"' + uri.replace(b'"', b'""') + b'"'
                fields = [uri if at == URL_COLUMN else kinds[at % len(kinds)](i + at) for at in range(CSV_COLUMNS)]
                left -= file.write(b",".join(fields) + b"\n")
                if left <= 0:
                    break
        to.with_suffix(".part").rename(to)
    return to
