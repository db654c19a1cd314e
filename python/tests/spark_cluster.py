"""Clusters of Spark on this machine, for tests: JVMs of their own on the loopback interface, and nothing left behind."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

#: What every session here is told: nothing leaves the machine, and little memory is taken.
CONFIGURATION = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.showConsoleProgress": "false",
}


def check() -> None:
    """Skips where Spark cannot run, which is a failure in CI."""
    missing = [what for what, there in [("pyspark", _has_pyspark()), ("java", _java())] if not there]
    if missing:
        assert os.environ.get("CI") != "true", f"there is no {' and no '.join(missing)}"
        pytest.skip(f"no {' and no '.join(missing)}")


def _has_pyspark() -> bool:
    return importlib.util.find_spec("pyspark") is not None


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else shutil.which("java")


def home() -> str:
    """Where the scripts and jars are: the package of pip."""
    return os.path.dirname(importlib.util.find_spec("pyspark").origin)


def environment(folder: pathlib.Path) -> dict[str, str]:
    """For drivers, masters and workers. Workers and executors write below `folder`."""
    (folder / "local").mkdir(exist_ok=True)
    return {
        **os.environ,
        "SPARK_HOME": home(),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    """A master or a worker in a process group of its own, so that what it starts ends with it."""

    def __init__(self, name: str, folder: pathlib.Path, *arguments: str) -> None:
        script = os.path.join(home(), "bin", "spark-class")
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [script, *arguments],
                env={**environment(folder), "SPARK_DAEMON_MEMORY": "256m"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(timeout=30)

    def says(self, text: str, times: int = 1) -> None:
        """Waits until its log has a text."""
        until = time.monotonic() + 60
        while self.log.read_text(errors="replace").count(text) < times:
            assert self.process.poll() is None and time.monotonic() < until, self.log.read_text(errors="replace")
            time.sleep(0.1)


@contextmanager
def standalone(folder: pathlib.Path, workers: int):
    """A master with workers of one core each: its address, and the workers."""
    port = str(free_port())
    daemons = [
        Daemon(
            "master", folder, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0"
        )
    ]
    address = f"spark://127.0.0.1:{port}"
    try:
        daemons[0].says("I have been elected leader")
        resources = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        for number in range(workers):
            worker = Daemon(f"worker-{number}", folder, "org.apache.spark.deploy.worker.Worker", *resources, address)
            daemons.append(worker)
        daemons[0].says("Registering worker", workers)
        yield address, daemons[1:]
    finally:
        for daemon in reversed(daemons):
            daemon.kill()
