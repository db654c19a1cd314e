"""Where the tests find the program, the sample lists and real data."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sysconfig

import pytest
import spark_cluster

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program() -> str:
    """The binary that URIMILL_BINARY names; without it the command that came with the package."""
    command = pathlib.Path(sysconfig.get_path("scripts")) / "urimill"
    return os.environ.get("URIMILL_BINARY") or str(command)


@pytest.fixture(scope="session")
def table_of_command():
    """The program's table for a file, as columns of lists: all other readers are compared with it."""

    def run(path, *options: str) -> dict[str, list]:
        arguments = [program(), "normalize", "--to", "jsonl", "--summary", "none", *options, "--", str(path)]
        lines = subprocess.run(arguments, check=True, capture_output=True).stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}

    return run


def datasets() -> list[pathlib.Path]:
    return sorted((ROOT / "datasets").glob("*.txt"))


@pytest.fixture(scope="session")
def corpora() -> pathlib.Path:
    """Real lists, which do not come with the sources."""
    shared = pathlib.Path(os.environ.get("URIMILL_SHARED") or ROOT.parent / "shared")
    if not (shared / "corpora").is_dir():
        assert os.environ.get("CI") != "true", f"there is no shared data in {shared}"
        pytest.skip("no shared data")
    return shared / "corpora"


def lines_of(path: pathlib.Path) -> list[bytes]:
    """The records of a list, by the rules of docs/SEMANTICS.md."""
    text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    lines = text.split(b"\n")
    whole, last = lines[:-1], lines[-1]
    records = [line.removesuffix(b"\r") for line in whole] + ([last] if last else [])
    return [record for record in records if record]


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory):
    """Where the driver of the session is at home: it takes relative paths from here."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark(spark_folder):
    """A session with two executors in processes of their own, shared by all tests that take it."""
    spark_cluster.check()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in spark_cluster.environment(spark_folder).items():
            patch.setenv(name, value)
        home = os.getcwd()
        os.chdir(spark_folder)
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("urimill")
        for name, value in spark_cluster.CONFIGURATION.items():
            builder = builder.config(name, value)
        try:
            session = builder.config("spark.sql.warehouse.dir", str(spark_folder / "warehouse")).getOrCreate()
        finally:
            os.chdir(home)
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()
