"""What the scripts that set programs side by side share: where they work, the packages they need, the machine."""

import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
FOLDER = TARGET / "compare"
PYTHON = FOLDER / "venv" / "bin" / "python"


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
