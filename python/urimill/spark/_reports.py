"""Reports of many files: each task makes the state of its files, and states add up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._files import Paths
from .._urimill import ReportState, __version__
from .._urimill import check_report as _check
from .._urimill import report as _report
from . import _needs
from ._files import Files, listed, numbered
from ._work import check_version

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.fs
    from pyspark.sql import SparkSession

#: States that the driver adds up itself. Each is of a few megabytes.
FEW = 16


def report(
    spark: SparkSession,
    paths: Paths,
    format: str = "auto",
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    partitions: int | None = None,
    **options: Any,
) -> ReportState:
    """The state of a report of all files: that of one run of :func:`urimill.report` over them, made by the executors.

    ``paths``, ``filesystem`` and ``partitions`` are those of :func:`read`, and the other options those of
    :func:`urimill.report`, but for its outputs: the state gives the page, the figures and its bytes. Each task reads its
    files, and where there are many states, other tasks add most of them up; the driver gets at most a few.

    >>> import pathlib, tempfile, urimill.spark
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for day in ["monday", "tuesday"]:
    ...     _ = (folder / day).write_text(f'192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /{day} HTTP/1.1" 200 512\\n')
    >>> state = urimill.spark.report(spark, folder, "clf")
    >>> state
    urimill.ReportState: 2 records = 2 URI references + 0 rejects
    >>> state.to_dict()["figures"]["visitor"]["top"]
    [{'sum': 2, 'text': '192.0.2.1'}]
    """
    _needs.pyspark()
    for name in ("output", "page", "json", "state", "title", "force"):
        if options.get(name) is not None:
            raise ValueError(f"{name} is not for executors: the state that comes back gives the page and the figures")
    options = {"threads": 1, **options}
    _check(format=format, **options)
    files = listed(paths, filesystem)
    frame = numbered(spark, files, partitions).mapInArrow(Reports(files, format, options, filesystem), "state binary")
    count = min(len(files), partitions or len(files))
    if count > FEW:
        frame = frame.repartition(min(FEW, math.isqrt(count))).mapInArrow(Sums(), "state binary")
    return ReportState.merge(row.state for row in frame.collect())


@dataclass
class Reports(Files):
    """The work of a task: the state of the files with the numbers that it gets."""

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        check_version(self.version)
        files = [self.files[number] for batch in batches for number in batch.column(0).to_pylist()]
        yield from _summed(self.state(file) for file in files)

    def state(self, file: str) -> ReportState:
        """That of one file."""
        with self.opened(file) as path:
            return _report([path], [file], None, format=self.format, **self.options)


@dataclass
class Sums:
    """The work of a task: the sum of states."""

    version: str = __version__

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        check_version(self.version)
        yield from _summed(state.as_py() for batch in batches for state in batch.column(0))


def _summed(states: Iterator[ReportState | bytes]) -> Iterator[pyarrow.RecordBatch]:
    """The sum of states as a row; none where there are no states."""
    import pyarrow

    first = next(states, None)
    if first is not None:
        sums = ReportState.merge(itertools.chain([first], states))
        yield pyarrow.record_batch([pyarrow.array([sums.to_bytes()], pyarrow.binary())], ["state"])
