"""The command that comes with the package behaves as the program does."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

COMMAND = str(pathlib.Path(sysconfig.get_path("scripts")) / "urimill")



def pythons() -> list[str]:
    """Every CPython from 3.10 on that this machine has: those on the path, and those of pyenv, whose shims may be idle."""
    found = [pathlib.Path(python) for minor in range(10, 30) if (python := shutil.which(f"python3.{minor}"))]
    root = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    found += sorted(root.glob("versions/3.[123][0-9].*/bin/python3"))
    return [str(python) for python in found if python.parent.name != "shims"]


PYTHONS = pythons()


@pytest.mark.parametrize("python", PYTHONS)
def test_one_wheel_serves_every_python(python, tmp_path):
    if subprocess.run([python, "--version"], capture_output=True).returncode != 0:
        pytest.skip("not active here")
    import urimill

    package = pathlib.Path(urimill.__file__).parent
    shutil.copytree(package, tmp_path / "urimill", ignore=shutil.ignore_patterns("__pycache__"))
    script = """
import urimill
table = urimill.normalize(["HTTP://a/%7E", None, "/a b"])
assert table["uri"].to_pylist() == ["http://a/~", None, "/a b"] and len(repr(table)) > 100
assert str(urimill.URI("http://a/b").resolve("c")) == "http://a/c"
assert urimill.decode("%41") == "A"
try:
    urimill.URI(":")
except urimill.RejectError as error:
    assert error.code == "scheme_empty"
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(*arguments, command=(COMMAND,), **options):
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, **options)


@pytest.mark.parametrize("command", [(COMMAND,), (sys.executable, "-m", "urimill")], ids=["script", "module"])
def test_runs(command):
    done = run("resolve", "--base", "http://a/b/c", "../g", command=command)
    assert (done.returncode, done.stdout, done.stderr) == (0, "http://a/g\n", "")
    assert run("--version", command=command).stdout.startswith("urimill ")


# As the help has them.
CODES = [
    (["compare", "http://a/", "HTTP://a"], 0),
    (["compare", "http://a/", "http://b/"], 1),
    (["check", "-"], 1),
    (["normalize", "--levle"], 2),
    (["normalize", "/no/such/file"], 3),
]


@pytest.mark.parametrize(("arguments", "code"), CODES, ids=lambda value: str(value))
def test_exit_codes(arguments, code):
    done = run(*arguments, input="/a b\n")
    assert done.returncode == code
    assert "Traceback" not in done.stderr and "panicked" not in done.stderr


def test_closed_pipes_are_no_failure():
    line = "http://example.com/" + "x" * 100 + "\n"
    process = subprocess.Popen(
        [COMMAND, "normalize", "--summary", "none"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    try:
        process.stdin.write(line.encode() * 200_000)
        process.stdin.close()
    except BrokenPipeError:
        pass
    assert process.wait(timeout=30) == 0
    assert process.stderr.read() == b""


@pytest.mark.parametrize("arguments", [["normalize", "-o", "out.parquet"], ["resolve", "--base", "http://a/"]], ids=["table", "lines"])
def test_ctrl_c(arguments, tmp_path):
    process = subprocess.Popen(
        [COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=tmp_path
    )
    process.stdin.write(b"http://example.com/\n")
    process.stdin.flush()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    # A shell makes 130 of both: the program's own code, and the signal's where it has no handler.
    assert process.wait(timeout=20) in (130, -signal.SIGINT)
    assert b"Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == []
