"""Files: the jobs of the command ``urimill`` from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Union, cast, overload

from ._types import ArrowArray, ArrowStream, Path, Strings
from ._urimill import ReportState, Stream
from ._urimill import convert as _convert
from ._urimill import edges as _edges
from ._urimill import index as _index
from ._urimill import read as _read
from ._urimill import read_edges as _read_edges
from ._urimill import read_index as _read_index
from ._urimill import report as _report
from ._urimill import report_table as _report_table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ConvertOptions, IndexOptions, LinksOptions, ReadOptions, ReportOptions

Paths = Union[Path, Iterable[Path]]
Edges = Literal["host", "registered_domain", "uri"]
Like = Literal["cdxj-indexer", "pywb"]
#: Called with the stored bytes read so far, the number of bytes in all or None, and the records so far.
Progress = Callable[[int, Union[int, None], int], Any]


def read(paths: Paths, format: str = "auto", *, strings: Strings = "string", **options: Unpack[ReadOptions]) -> Stream:
    """The records of files as a stream of tables, read and parsed by several threads in bounded memory.

    ``paths`` is a path, a pattern such as ``logs/*.gz``, or several of them; compressed with gzip, zstd, bzip2 or xz,
    or not. ``format`` is what ``--from`` takes on the command line: ``lines``, ``csv``, ``heritrix``, ``cdxj``,
    ``warc``, ``parquet``, …; ``auto`` looks at the beginning of each file. The other options are those of ``urimill
    normalize`` with underscores: ``uri_field``, ``base_field``, ``base``, ``keep``, ``columns``, ``level``, ``spec``,
    ``repair``, ``sort_by``, ….

    >>> import pathlib, tempfile, urimill
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "list.txt").write_text("http://example.com/\\n/a b\\n")
    >>> with urimill.read(folder / "list.txt", columns=["record", "uri", "error"]) as stream:
    ...     stream.read_all().to_pylist()  # doctest: +NORMALIZE_WHITESPACE
    [{'record': 1, 'uri': 'http://example.com/', 'error': None},
     {'record': 2, 'uri': '/a b', 'error': 'path_invalid_char'}]
    """
    if "output" in options or "to" in options:
        raise ValueError("read writes no file: drop output and to, or call convert")
    return _read(_inputs(paths), strings, False, **{"format": format, "threads": _threads(), **options})


def convert(
    input: Paths,
    output: Path,
    *,
    format: str = "auto",
    progress: bool | Progress | None = None,
    **options: Unpack[ConvertOptions],
) -> dict[str, Any]:
    """Reads files and writes a table: the command ``urimill normalize``. Returns its summary.

    The extension of ``output``, or the option ``to``, chooses its format; ``force=True`` replaces an existing output.
    The other options are those of ``urimill normalize`` with underscores: ``rejects``, ``on_invalid``, ``compression``,
    ``columns``, ``level``, ``sort_by``, ``schema``, ``verify``, …; with ``partition_by`` or ``file_size`` ``output`` is
    a directory of files. The output appears when it is complete: Ctrl-C leaves nothing behind.

    ``progress`` is a function that gets the stored bytes read, the number of bytes in all or None, and the records,
    some ten times a second; or True for a bar of tqdm, if that is installed.

    >>> import pathlib, tempfile, urimill
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "list.txt").write_text("http://example.com/\\n/a b\\n")
    >>> summary = urimill.convert(folder / "list.txt", folder / "list.parquet")
    >>> summary["records"], summary["rejects"], (folder / "list.parquet").exists()
    (2, 1, True)
    """
    return _written(input, os.fspath(output), progress, False, {"format": format, **options})


@overload
def links(
    paths: Paths,
    output: None = ...,
    *,
    format: str = ...,
    base: str | None = ...,
    edges: Edges | None = ...,
    strings: Strings = ...,
    progress: bool | Progress | None = ...,
    **options: Unpack[LinksOptions],
) -> Stream: ...
@overload
def links(
    paths: Paths,
    output: Path,
    *,
    format: str = ...,
    base: str | None = ...,
    edges: Edges | None = ...,
    strings: Strings = ...,
    progress: bool | Progress | None = ...,
    **options: Unpack[LinksOptions],
) -> dict[str, Any]: ...
def links(
    paths: Paths,
    output: Path | None = None,
    *,
    format: str = "auto",
    base: str | None = None,
    edges: Edges | None = None,
    strings: Strings = "string",
    progress: bool | Progress | None = None,
    **options: Unpack[LinksOptions],
) -> Stream | dict[str, Any]:
    """The references in pages, each resolved against its base: a stream of tables, or a file if there is an ``output``.

    Pages are HTML, style sheets, XML and mail, as files and in web archives; ``format`` is what ``--from`` of ``urimill
    links`` takes, and ``base`` the URI of pages that do not state where they were retrieved from. The other options are
    those of ``urimill links`` with underscores: ``columns``, ``spec``, ``repair``, ``encoding``, ``sort_by``, …; with
    an ``output`` also those of :func:`convert`, and the function returns the summary.

    ``edges`` is ``host``, ``registered_domain`` or ``uri``: rows are then pairs of a source and a target, with the
    number of links between them and the number of pages that have these links. With ``graph=True`` the output is a
    directory of two text files, as Common Crawl publishes its graphs.

    >>> import pathlib, tempfile, urimill
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> _ = page.write_text("<base href=/b/><a href='c' rel=nofollow>See <i>this</i></a>")
    >>> with urimill.links(page, base="http://example.com/a", columns=["uri", "base_kind", "element", "text"]) as stream:
    ...     stream.read_all().to_pylist()  # doctest: +NORMALIZE_WHITESPACE
    [{'uri': 'http://example.com/b/', 'base_kind': 'default', 'element': 'base', 'text': None},
     {'uri': 'http://example.com/b/c', 'base_kind': 'content', 'element': 'a', 'text': 'See this'}]
    >>> edges = urimill.links(page, base="http://example.com/a", edges="uri").read_all().to_pylist()
    >>> [(edge["target"], edge["links"]) for edge in edges]
    [('http://example.com/b/', 1), ('http://example.com/b/c', 1)]
    """
    given: dict[str, Any] = {"format": format, "base": base, **options}
    if edges is not None:
        given = {"threads": _threads(), "edges": edges, **given}
        if output is not None:
            target = _target(output)
            with _shown(progress) as shown:
                return _edges(_inputs(paths), target, shown, **given)
        _refuse(given, "to", "graph", "verify")
        return _read_edges(_inputs(paths), strings, **given)
    if output is not None:
        return _written(paths, os.fspath(output), progress, True, given)
    _refuse(given, "to")
    return _read(_inputs(paths), strings, True, **{"threads": _threads(), **given})


@overload
def index(
    paths: Paths,
    output: None = ...,
    *,
    like: Like = ...,
    strings: Strings = ...,
    progress: bool | Progress | None = ...,
    **options: Unpack[IndexOptions],
) -> Stream: ...
@overload
def index(
    paths: Paths,
    output: Path,
    *,
    like: Like = ...,
    strings: Strings = ...,
    progress: bool | Progress | None = ...,
    **options: Unpack[IndexOptions],
) -> dict[str, Any]: ...
def index(
    paths: Paths,
    output: Path | None = None,
    *,
    like: Like = "cdxj-indexer",
    strings: Strings = "string",
    progress: bool | Progress | None = None,
    **options: Unpack[IndexOptions],
) -> Stream | dict[str, Any]:
    """The index of web archives (WARC, ARC): a stream of its rows, or a file if there is an ``output``.

    Rows have the key, the time and the place of each record, in the order of keys and times. The extension of
    ``output``, or the option ``to``, chooses its form: ``cdxj``, ``cdx``, ``cdx9``, ``zipnum``, ``parquet``; the
    function returns the summary, as the command ``urimill index`` prints it. ``like`` is the tool whose lines urimill
    writes, ``cdxj-indexer`` or ``pywb``. The other options are those of ``urimill index`` with underscores:
    ``records``, ``no_post``, ``root``, ``shards``, ``block_lines``, ….

    >>> import pathlib, tempfile, urimill
    >>> archive = pathlib.Path(tempfile.mkdtemp()) / "a.warc"
    >>> block = "HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\nHello"
    >>> head = ["WARC/1.0", "WARC-Type: response", "WARC-Target-URI: http://example.com/a",
    ...     "WARC-Date: 2026-11-20T10:00:00Z", "Content-Type: application/http", f"Content-Length: {len(block)}"]
    >>> _ = archive.write_bytes("\\r\\n".join([*head, "", block, "", ""]).encode())
    >>> urimill.index(archive).read_all().to_pylist()[0]["urlkey"]
    'com,example)/a'
    >>> urimill.index(archive, archive.with_suffix(".cdxj"))["lines"]
    1
    >>> urimill.Lookup(archive.with_suffix(".cdxj")).find("http://example.com/a")[0]["status"]
    '200'
    """
    given: dict[str, Any] = {"threads": _threads(), "like": like, **options}
    if output is None:
        _refuse(given, "to", "force", "unsorted", "shards", "block_lines")
        return _read_index(_inputs(paths), strings, **given)
    target = _target(output)
    with _shown(progress) as shown:
        return _index(_inputs(paths), target, shown, **given)


def report(
    paths: Paths | ArrowArray | ArrowStream,
    output: Path | None = None,
    *,
    uri: str | None = None,
    json: Path | None = None,
    state: Path | None = None,
    title: str | None = None,
    format: str = "auto",
    force: bool = False,
    progress: bool | Progress | None = None,
    **options: Unpack[ReportOptions],
) -> ReportState:
    """Sums up a log: its figures, its faults, and their times. The command ``urimill report``; returns the state.

    ``output`` is the page, one HTML file that needs no network, ``json`` a file of all figures, and ``state`` a file of
    the state, which a later report takes as an input. Without them nothing is written: the state has all figures.
    ``paths`` are either all logs or all states. The other options are those of ``urimill report`` with underscores:
    ``log_format``, ``uri_field``, ``base``, ``level``, ``repair``, …; ``progress`` is as in
    :func:`convert`.

    Instead of ``paths`` the argument may be a table or a stream of pyarrow, Polars, pandas, DuckDB or another package
    with the Arrow PyCapsule protocol: ``uri`` names the column of URIs, and columns such as ``status``, ``time``,
    ``size``, ``client`` and ``user_agent`` count by their names (``docs/SEMANTICS.md``). A stream is read once, in
    bounded memory.

    >>> import pathlib, tempfile, urimill
    >>> log = pathlib.Path(tempfile.mkdtemp()) / "access.log"
    >>> line = '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 404 512\\n'
    >>> _ = log.write_text(line * 3)
    >>> state = urimill.report(log, log.with_suffix(".html"), title="A day")
    >>> state.accounts["records"], state.to_dict()["figures"]["failed_path"]["top"]
    (3, [{'sum': 3, 'text': '404 /a.png'}])
    >>> import pyarrow
    >>> table = pyarrow.table({"url": ["http://h/a", "http://h/b"], "status": [200, 404]})
    >>> urimill.report(table, uri="url").to_dict()["figures"]["host_failures"]["top"]
    [{'sum': 1, 'text': 'h'}]
    """
    outputs = {"page": output, "json": json, "state": state}
    for name, target in outputs.items():
        if target is not None and os.fspath(target) in ("-", ""):
            name = "output" if name == "page" else name
            raise ValueError(f"{name} is a file: the command urimill writes to standard output")
    given: dict[str, Any] = {"threads": _threads(), "title": title, "force": force, **outputs, **options}
    if any(hasattr(paths, name) for name in ("__arrow_c_array__", "__arrow_c_stream__")):
        if format != "auto":
            raise ValueError("format applies to files, not to tables: drop it")
        data: Any = paths
        with _shown(progress) as shown:
            return _report_table(data, uri, "the table", shown, **given)
    if uri is not None:
        raise ValueError("uri names a column of a table; for files, name the field with uri_field")
    with _shown(progress) as shown:
        return _report(_inputs(cast(Paths, paths)), None, shown, **{"format": format, **given})


def _written(
    paths: Paths, target: str, progress: bool | Progress | None, of_pages: bool, options: dict[str, Any]
) -> dict[str, Any]:
    target = _target(target)
    options = {"threads": _threads(), **options}
    with _shown(progress) as shown:
        return _convert(_inputs(paths), target, shown, of_pages, **options)


def _target(output: Path) -> str:
    target = os.fspath(output)
    if target in ("-", ""):
        raise ValueError("output is a file: the command urimill writes to standard output")
    return target


def _refuse(options: dict[str, Any], *names: str) -> None:
    """Refuses options of outputs for a call that writes nothing."""
    for name in names:
        if name in options:
            raise ValueError(f"this call writes no file: drop {name}, or give an output")


@contextmanager
def _shown(progress: bool | Progress | None) -> Iterator[Progress | None]:
    """The function that is called during a run."""
    if progress is not True:
        yield progress or None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A bar of tqdm; does nothing if tqdm is not installed."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar = None
            return
        self._bar = tqdm(unit="B", unit_scale=True, unit_divisor=1024)

    def __call__(self, done: int, total: int | None, records: int) -> None:
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_postfix_str(f"{records:,} records", refresh=False)
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _threads() -> int | None:
    """The number of threads in ``RAYON_NUM_THREADS``, which functions on columns use, too."""
    asked = os.environ.get("RAYON_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and 0 < int(asked) <= 1024 else None


def _inputs(paths: Paths) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    inputs = [os.fspath(path) for path in paths]
    if not inputs:
        raise ValueError("there are no inputs: give one or more paths or patterns")
    return inputs
