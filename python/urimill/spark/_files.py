"""Files to a frame, each by one task: the formats that urimill reads and Spark does not."""

from __future__ import annotations

import fnmatch
import glob
import os
import pathlib
import posixpath
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from .._files import Paths
from .._files import links as _links
from .._files import read as _read
from .._urimill import Stream, __version__
from . import _needs
from ._frames import fields
from ._work import check_version

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.fs
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    from .._options import LinksOptions, ReadOptions

    class SparkLinksOptions(LinksOptions, total=False):
        """The parameters of :func:`urimill.links` that are keywords here."""

        base: str | None
        edges: str | None

#: Options of urimill.read that have no meaning if each file is read by itself, and what to do instead.
ELSEWHERE = {
    "sort_by": "sort the frame",
    "rejects": "keep the rows, whose column error is not null",
    "output": "write the frame",
    "to": "write the frame",
    "strings": "Spark has one type of texts",
}


def read(
    spark: SparkSession,
    paths: Paths,
    format: str = "auto",
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    partitions: int | None = None,
    **options: Unpack[ReadOptions],
) -> DataFrame:
    """The records of files as a frame: the rows of :func:`urimill.read`, with its formats and options.

    ``paths`` are files, patterns and directories (without files whose names begin with ``.`` or ``_``). The driver
    lists them, and each task opens a file itself: they must be on a disk that all executors share, or in a
    ``filesystem`` of pyarrow, such as ``pyarrow.fs.S3FileSystem()``, from which a task copies its file to ``TMPDIR``
    first. One task reads a file from beginning to end, compressed or not; ``partitions`` is the number of tasks, by
    default one for each file.

    The driver takes the schema from the first file that has a record; all others must have the same columns, except
    empty ones. A job over hourly logs, which may all be empty, should name the ``format``. ``record`` is the number of
    a record in its file; ``columns="+source"`` adds the file. ``threads`` is 1 by default. Tasks also open the files
    that options name, such as ``psl``.

    >>> import pathlib, tempfile, urimill.spark
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for day in ["monday", "tuesday"]:
    ...     _ = (folder / day).write_text(f'192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /{day} HTTP/1.1" 200 512\\n')
    >>> logs = urimill.spark.read(spark, folder, "clf", base="http://example.com/", columns="uri", keep=["status"])
    >>> logs.orderBy("uri").show(truncate=False)
    +--------------------------+------+------------+
    |uri                       |status|field_errors|
    +--------------------------+------+------------+
    |http://example.com/monday |200   |NULL        |
    |http://example.com/tuesday|200   |NULL        |
    +--------------------------+------+------------+
    <BLANKLINE>
    """
    _needs.pyspark()
    if format in ("parquet", "arrow"):
        raise ValueError(f"Spark reads tables itself: spark.read, then urimill.spark.normalize (format={format!r})")
    return _frame(spark, Files(listed(paths, filesystem), format, dict(options), filesystem), partitions)


def links(
    spark: SparkSession,
    paths: Paths,
    format: str = "auto",
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    partitions: int | None = None,
    **options: Unpack[SparkLinksOptions],
) -> DataFrame:
    """The references in pages as a frame: the rows of :func:`urimill.links`, with its formats and options.

    ``paths``, ``filesystem`` and ``partitions`` are as in :func:`read`: a task reads one file, a page or an archive of
    pages. ``page_record`` is the number of a page in its file. With ``edges="host"``, ``registered_domain`` or ``uri``
    rows are the counts of each file, which add up: ``groupBy("source", "target").sum("links", "pages")``.

    >>> import pathlib, tempfile, urimill.spark
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ["a", "b"]:
    ...     _ = (folder / f"{name}.html").write_text(f"<a href={name}>")
    >>> urimill.spark.links(spark, folder, base="http://example.com/", columns="uri").orderBy("uri").show()
    +--------------------+
    |                 uri|
    +--------------------+
    |http://example.com/a|
    |http://example.com/b|
    +--------------------+
    <BLANKLINE>
    """
    _needs.pyspark()
    plan = Files(listed(paths, filesystem), format, dict(options), filesystem, of_pages=True)
    return _frame(spark, plan, partitions)


def _frame(spark: SparkSession, plan: Files, partitions: int | None) -> DataFrame:
    for name, instead in ELSEWHERE.items():
        if plan.options.get(name) is not None:
            raise ValueError(f"{name} is not for files that are read one by one: {instead}")
    numbers = numbered(spark, plan.files, partitions)
    schema = None
    for number, file in enumerate(plan.files):
        with plan.opened(file) as path:
            try:
                stream = plan.stream(path)
            except ValueError:
                # Options may not fit what an empty file is taken for.
                if number + 1 < len(plan.files) and plan.is_empty(path):
                    continue
                raise
            with stream:
                found = _plain(stream.schema.to_pyarrow())
                # A file without a record may be of any format.
                tells = plan.format != "auto" or next(iter(stream), None) is not None
        if schema is None or tells:
            schema, plan.first = found, number
        if tells:
            break
    assert schema is not None, "the last file has a schema, or its error"
    plan.names = tuple(schema.names)
    from pyspark.sql.types import StructType

    return numbers.mapInArrow(plan, StructType(fields(schema)))


@dataclass
class Files:
    """The work of a task: reads the files whose numbers it gets."""

    files: tuple[str, ...]
    format: str
    options: dict[str, Any]
    filesystem: pyarrow.fs.FileSystem | None
    names: tuple[str, ...] = ()
    #: The number of the file that the schema comes from.
    first: int = 0
    #: Whether rows are the references in pages.
    of_pages: bool = False
    version: str = __version__

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        check_version(self.version)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.rows(self.files[number])

    def stream(self, path: str) -> Stream:
        """The rows of a file."""
        options = {"threads": 1, **self.options}
        if not self.of_pages:
            return _read(path, self.format, **options)
        stream = _links(path, format=self.format, **options)
        assert isinstance(stream, Stream), "there is no output"
        return stream

    def rows(self, file: str) -> Iterator[pyarrow.RecordBatch]:
        """All rows of one file."""
        with self.opened(file) as path:
            try:
                stream = self.stream(path)
            except ValueError:
                if self.is_empty(path):
                    return
                raise
            yield from self._batches(stream, file, path)

    def is_empty(self, path: str) -> bool:
        """Whether a file whose format is not known has no record."""
        if self.format != "auto" or self.of_pages:
            return False
        with _read(path, "auto", columns="record", threads=1) as stream:
            return next(iter(stream), None) is None

    def _batches(self, stream: Stream, file: str, path: str) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        with stream:
            schema = _plain(stream.schema.to_pyarrow())
            if tuple(schema.names) != self.names:
                if self.format == "auto" and next(iter(stream), None) is None:
                    return
                raise ValueError(
                    f"{file} has the columns {', '.join(schema.names)}, but the first file, {self.files[self.first]}, has "
                    f"{', '.join(self.names)}: read them separately, or name the format"
                )
            for part in stream:
                table = part.to_pyarrow().cast(schema)
                if "source" in self.names and path != file:
                    place = self.names.index("source")
                    source = pyarrow.repeat(pyarrow.scalar(file), len(table))
                    table = table.set_column(place, schema.field(place), source)
                yield from table.to_batches()

    @contextmanager
    def opened(self, file: str) -> Iterator[str]:
        """A path that urimill can read: the file itself, or a temporary copy."""
        if self.filesystem is None:
            yield file
            return
        with tempfile.TemporaryDirectory(prefix="urimill-") as folder:
            # The copy keeps the name of the file, because messages have it.
            path = os.path.join(folder, posixpath.basename(file))
            with self.filesystem.open_input_stream(file, compression=None) as source, open(path, "wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
            yield path


def listed(paths: Paths, filesystem: pyarrow.fs.FileSystem | None) -> tuple[str, ...]:
    """The files that paths, patterns and directories mean."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    files = tuple(file for path in paths for file in _listed(os.fspath(path), filesystem))
    if not files:
        raise ValueError("there are no inputs: give one or more paths or patterns")
    return files


def numbered(spark: SparkSession, files: tuple[str, ...], partitions: int | None) -> DataFrame:
    """The numbers of files, divided into `partitions`, by default one each."""
    if partitions is not None and (not isinstance(partitions, int) or partitions < 1):
        raise ValueError(f"partitions is {partitions!r}: give a number from 1 on")
    return spark.range(0, len(files), 1, min(len(files), partitions or len(files)))


def _listed(path: str, filesystem: pyarrow.fs.FileSystem | None) -> list[str]:
    """The files that a path, a pattern or a directory means, in the order of their names."""
    if filesystem is not None:
        return _listed_in(path, filesystem)
    scheme = urlsplit(path).scheme
    if scheme == "file":
        path = unquote(urlsplit(path).path)
    elif len(scheme) > 1 and not os.path.exists(path):
        raise ValueError(f"{path} is in no file system that all executors have as a folder: give filesystem too")
    path = os.path.abspath(path)
    if os.path.isdir(path):
        files = [str(file) for file in pathlib.Path(path).iterdir() if file.is_file() and _is_shown(file.name)]
    elif os.path.exists(path):
        files = [path]
    else:
        files = [file for file in glob.glob(path) if os.path.isfile(file)]
    if not files:
        raise FileNotFoundError(2, "No such file, or no file in it", path)
    return sorted(files)


def _listed_in(path: str, filesystem: pyarrow.fs.FileSystem) -> list[str]:
    import pyarrow.fs

    def inside(folder: str, pattern: str) -> list[str]:
        selector = pyarrow.fs.FileSelector(folder, allow_not_found=True)
        found = [info.path for info in filesystem.get_file_info(selector) if info.is_file]
        return [file for file in found if fnmatch.fnmatchcase(posixpath.basename(file), pattern)]

    info = filesystem.get_file_info(path)
    if info.is_file:
        files = [path]
    elif info.type == pyarrow.fs.FileType.Directory:
        files = [file for file in inside(path, "*") if _is_shown(posixpath.basename(file))]
    else:
        # A pattern may be in the last part of a path alone: elsewhere it would list whole buckets.
        files = inside(*posixpath.split(path))
    if not files:
        raise FileNotFoundError(2, "No such file, or no file in it", path)
    return sorted(files)


def _is_shown(name: str) -> bool:
    return not name.startswith((".", "_"))


def _plain(schema: pyarrow.Schema) -> pyarrow.Schema:
    """The schema with timestamps in microseconds, as Spark has them, and all fields nullable."""
    import pyarrow

    def plain(kind: pyarrow.DataType) -> pyarrow.DataType:
        return pyarrow.timestamp("us", kind.tz) if pyarrow.types.is_timestamp(kind) else kind

    return pyarrow.schema([pyarrow.field(field.name, plain(field.type)) for field in schema])
