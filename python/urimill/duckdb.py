"""Scalar functions for DuckDB: ``urimill.duckdb.register(connection)``. They need pyarrow.

>>> import duckdb, urimill.duckdb
>>> connection = duckdb.connect()
>>> urimill.duckdb.register(connection)
>>> links = "(VALUES ('HTTP://www.Example.com:80/%7Ea'), (NULL), ('http://example.com/a b')) AS links(url)"
>>> connection.sql(f"SELECT uri_normalize(url), uri_host(url), uri_error(url) FROM {links}").fetchall()
[('http://www.example.com/~a', 'www.example.com', None), (None, None, None), ('http://example.com/a b', None, 'path_invalid_char')]
>>> connection.sql("SELECT uri_resolve('../c', 'http://example.com/a/b')").fetchall()
[('http://example.com/c',)]
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb

from ._bulk import normalize
from ._namespace import COLUMNS
from ._pairs import resolve
from ._types import ArrowTable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RecordOptions


def register(
    connection: duckdb.DuckDBPyConnection, *, prefix: str = "uri_", **options: Unpack[RecordOptions]
) -> None:
    """Registers a function for each column that a text has: ``uri_host(text)``, ``uri_port(text)``, …; and
    ``uri_normalize(text)``, the normal form, and ``uri_resolve(reference, base)``, the target or null.

    A null gives a null. Names begin with ``prefix``, and the options are those of :func:`urimill.normalize`, for all
    of the functions but ``uri_resolve``. Functions that are registered already are replaced.
    """
    names = [name for name in COLUMNS if name != "canonical" or "canonical" in options]
    none = normalize([], columns=names, stream=False, **options)
    kinds = connection.from_arrow(none.to_pyarrow()).types
    for name, kind in zip(names, kinds):
        _put(connection, prefix + ("normalize" if name == "uri" else name), [kind], _values(name, options))
    text = kinds[names.index("uri")]
    _put(connection, prefix + "resolve", [text, text], _targets)


def _values(name: str, options: RecordOptions) -> Callable[[ArrowTable], Any]:
    def values(texts: ArrowTable) -> Any:
        return normalize(texts, columns=name, stream=False, **options)[name].to_pyarrow()

    return values


def _targets(references: ArrowTable, bases: ArrowTable) -> Any:
    return resolve(references, bases, stream=False)["target"].to_pyarrow()


def _put(connection: duckdb.DuckDBPyConnection, name: str, kinds: list[Any], function: Callable[..., Any]) -> None:
    """A function on arrays of pyarrow, of as many texts as there are ``kinds``, the last of which its values have."""
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.remove_function(name)
    texts: list[Any] = ["VARCHAR"] * len(kinds)
    how: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
    connection.create_function(name, function, texts, kinds[-1], **how)
