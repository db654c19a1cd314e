"""Reports of files and frames: each task makes the state of its files or its partition, and the states are added up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from .._files import Paths
from .._urimill import ReportState, __version__
from .._urimill import check_report as _check
from .._urimill import report as _report
from .._urimill import report_columns as _columns
from .._urimill import report_table as _report_table
from . import _needs
from ._files import Files, listed, numbered
from ._frames import Found
from ._work import check_version

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.fs
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from .._options import ReportOptions

#: The most states that the driver adds up itself. Each has a few megabytes.
FEW = 16


@overload
def report(
    spark: SparkSession,
    paths: Paths,
    format: str = "auto",
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    partitions: int | None = None,
    **options: Unpack[ReportOptions],
) -> ReportState: ...
@overload
def report(spark: DataFrame, *, uri: str = "url", **options: Unpack[ReportOptions]) -> ReportState: ...
def report(
    spark: SparkSession | DataFrame,
    paths: Paths | None = None,
    format: str = "auto",
    *,
    uri: str | None = None,
    filesystem: pyarrow.fs.FileSystem | None = None,
    partitions: int | None = None,
    **options: Any,
) -> ReportState:
    """The state of a report of files or of a frame, as :func:`urimill.report` makes it, by the executors.

    ``paths``, ``filesystem`` and ``partitions`` are as in :func:`read`, and the other options those of
    :func:`urimill.report`, except its outputs: the state gives the page, the figures and its bytes. Each task reads its
    files. If there are many states other tasks add most of them up, so that the driver gets only a few.

    >>> import pathlib, tempfile, urimill.spark
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for day in ["monday", "tuesday"]:
    ...     _ = (folder / day).write_text(f'192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /{day} HTTP/1.1" 200 512\\n')
    >>> state = urimill.spark.report(spark, folder, "clf")
    >>> state
    urimill.ReportState: 2 records = 2 URI references + 0 rejects
    >>> state.to_dict()["figures"]["visitor"]["top"]
    [{'sum': 2, 'text': '192.0.2.1'}]

    For a frame ``uri`` names the column of URIs. Columns such as ``status``, ``time``, ``size``, ``client`` and
    ``user_agent`` count by their names, as in :func:`urimill.report`; no others are sent to Python. Each task makes the
    state of its partition, which messages and examples of rejects call ``partition N``, from 0.

    >>> frame = spark.createDataFrame([("http://h/a", 200), ("http://h/b", 404), ("/a b", 200)], "url string, status int")
    >>> state = urimill.spark.report(frame, uri="url")
    >>> state
    urimill.ReportState: 3 records = 2 URI references + 1 reject
    >>> state.to_dict()["figures"]["status"]["top"]
    [{'sum': 2, 'text': '200'}, {'sum': 1, 'text': '404'}]
    """
    _needs.pyspark()
    for name in ("output", "page", "json", "state", "title", "force"):
        if options.get(name) is not None:
            raise ValueError(f"{name} is not for executors: the state that comes back gives the page and the figures")
    options = {"threads": 1, **options}
    if hasattr(spark, "mapInArrow"):
        if paths is not None or format != "auto" or filesystem is not None or partitions is not None:
            raise ValueError("a frame has no paths, format, filesystem and partitions: give uri, and repartition before")
        frame: Any = spark
        return _of_frame(frame, "url" if uri is None else uri, options)
    if uri is not None:
        raise ValueError("uri names a column of a frame: of files uri_field is the field with the URI")
    if paths is None:
        raise TypeError("paths are missing: give files, or a frame in place of the session")
    _check(False, format=format, **options)
    files = listed(paths, filesystem)
    session: Any = spark
    states = numbered(session, files, partitions).mapInArrow(Reports(files, format, options, filesystem), "state binary")
    return _added_up(states, min(len(files), partitions or len(files)))


def _of_frame(df: DataFrame, uri: str, options: dict[str, Any]) -> ReportState:
    """The states of the partitions of a frame, added up."""
    bases = options.get("base_field")
    # The column of bases is checked below; executors know it by its name.
    _check(True, **{name: value for name, value in options.items() if name != "base_field"})
    found = Found(df)
    place = found.texts(uri, "uri")
    known = [*_columns(), *([] if bases is None else [bases])]
    others = [at for at, name in enumerate(found.names) if name in known and at != place]
    if bases is not None:
        found.texts(bases, "base_field")
    for at in others:
        if found.names.count(found.names[at]) > 1:
            raise ValueError(f"the frame has several columns {found.names[at]!r}: give each a name of its own")
    # By number, as names may occur twice. The column of URIs gets a name that is not a field of a report.
    numbered = df.toDF(*(f"c{at}" for at in range(len(found.fields)))).select(*(f"c{at}" for at in [place, *others]))
    rows = Partitions(options, tuple(["the uri", *(found.names[at] for at in others)]))
    # The number of partitions may be unknown until the frame is computed, so other tasks always add most states up.
    return _added_up(numbered.mapInArrow(rows, "state binary"), None)


def _added_up(frame: DataFrame, count: int | None) -> ReportState:
    """The sum of `count` states, or of an unknown number of them; the driver gets only a few."""
    if count is None or count > FEW:
        tasks = 4 if count is None else min(FEW, math.isqrt(count))
        frame = frame.repartition(tasks).mapInArrow(Sums(), "state binary")
    return _merged(row.state for row in frame.collect())


def _merged(states: Iterable[ReportState | bytes | bytearray]) -> ReportState:
    """The sum of the states of one run. Equal files and partitions are not a mistake: each counts."""
    return ReportState.merge(states, force=True)


@dataclass
class Reports(Files):
    """The work of a task: makes the state of the files whose numbers it gets."""

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        check_version(self.version)
        files = [self.files[number] for batch in batches for number in batch.column(0).to_pylist()]
        yield from _summed(self.state(file) for file in files)

    def state(self, file: str) -> ReportState:
        """The state of one file."""
        with self.opened(file) as path:
            return _report([path], [file], None, format=self.format, **self.options)


@dataclass
class Partitions:
    """The work of a task: makes the state of its partition of a frame, whose first column has the URIs."""

    options: dict[str, Any]
    names: tuple[str, ...]
    version: str = __version__

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow
        from pyspark import TaskContext

        check_version(self.version)
        first = next(batches, None)
        if first is None:
            return
        context = TaskContext.get()
        name = "the partition" if context is None else f"partition {context.partitionId()}"
        schema = pyarrow.schema([field.with_name(name) for field, name in zip(first.schema, self.names)])
        named = (
            pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in itertools.chain([first], batches)
        )
        reader = pyarrow.RecordBatchReader.from_batches(schema, named)
        yield from _summed(iter([_report_table(reader, self.names[0], name, None, **self.options)]))


@dataclass
class Sums:
    """The work of a task: adds up states."""

    version: str = __version__

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        check_version(self.version)
        yield from _summed(state.as_py() for batch in batches for state in batch.column(0))


def _summed(states: Iterator[ReportState | bytes | bytearray]) -> Iterator[pyarrow.RecordBatch]:
    """The sum of states as a row; no row if there are no states."""
    import pyarrow

    first = next(states, None)
    if first is not None:
        sums = _merged(itertools.chain([first], states))
        yield pyarrow.record_batch([pyarrow.array([sums.to_bytes()], pyarrow.binary())], ["state"])
