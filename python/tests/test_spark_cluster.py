"""A cluster of its own processes, a job that is submitted to it, and a machine that is lost in the middle."""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import time

import pyarrow
import pyarrow.parquet
import pytest
import spark_cluster
from conftest import datasets, lines_of

import urimill

FILES = 12


@pytest.fixture
def links(tmp_path):
    """The links, and a folder with a file of them for each task."""
    lines = [line for path in datasets() for line in [*lines_of(path), None]]
    table = pyarrow.table({"url": pyarrow.array(lines * 20, pyarrow.binary())})
    table = table.append_column("n", pyarrow.array(range(len(table)), pyarrow.int64()))
    folder = tmp_path / "links"
    folder.mkdir()
    size = -(-len(table) // FILES)
    for number in range(FILES):
        pyarrow.parquet.write_table(table.slice(number * size, size), folder / f"{number}.parquet")
    return table, folder


def checksum(table: pyarrow.Table) -> str:
    """The checksum of the rows in the order of their numbers, however they were batched."""
    rows = table.sort_by("n").to_pylist()
    return hashlib.sha256("\n".join(repr(sorted(row.items())) for row in rows).encode()).hexdigest()


def submit(address: str, folder: pathlib.Path, *arguments: pathlib.Path) -> subprocess.Popen:
    """A job on its way; its log is in the folder."""
    options = {
        **spark_cluster.CONFIGURATION,
        # As if files were so large that each is a task.
        "spark.sql.files.openCostInBytes": "128m",
        "spark.task.maxFailures": "8",
    }
    configured = [part for name, value in options.items() for part in ("--conf", f"{name}={value}")]
    job = pathlib.Path(__file__).with_name("spark_job.py")
    script = os.path.join(spark_cluster.home(), "bin", "spark-submit")
    command = [script, "--master", address, *configured, str(job), *map(str, arguments)]
    with (folder / "driver.log").open("wb") as log:
        return subprocess.Popen(command, env=spark_cluster.environment(folder), stdout=log, stderr=log, start_new_session=True)


def test_a_worker_is_lost(tmp_path, links):
    spark_cluster.check()
    table, source = links
    output, marks = tmp_path / "output", tmp_path / "marks"
    marks.mkdir()
    with spark_cluster.standalone(tmp_path, 2) as (address, workers):
        job = submit(address, tmp_path, source, output, marks)
        told = lambda: (tmp_path / "driver.log").read_text(errors="replace")[-5000:]  # noqa: E731
        try:
            until = time.monotonic() + 120
            # Both are at work, and there is more to do.
            while len({mark.name.split("-")[-1] for mark in marks.iterdir()}) < 2:
                assert job.poll() is None and time.monotonic() < until, told()
                time.sleep(0.05)
            workers[0].kill()
            assert job.wait(timeout=120) == 0, told()
        finally:
            job.kill()
    begun = [tuple(map(int, mark.name.split("-")[:2])) for mark in marks.iterdir()]
    assert len(begun) > FILES and max(attempt for _, attempt in begun) > 0, "the lost worker had nothing to do"
    expected = urimill.normalize(table, uri="url", columns="+surt,+fingerprint,+query_params,-record").to_pyarrow()
    got = pyarrow.parquet.read_table(output)
    assert got.column_names == expected.column_names and len(got) == len(expected)
    assert checksum(got) == checksum(expected)
