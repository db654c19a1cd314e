"""Columns of URIs, split, validated and normalized by RFC 3986, as Arrow data.

>>> import urimill
>>> table = urimill.normalize(["HTTP://www.Example.com:80/%7Ea/./b?q", "http://example.com/a b"])
>>> table["uri"].to_pylist()
['http://www.example.com/~a/b?q', 'http://example.com/a b']
>>> table["error"].to_pylist()
[None, 'path_invalid_char']

Columns come in over the Arrow PyCapsule protocol, from pyarrow, Polars, pandas, DuckDB and others, and go out the same
way; none of these packages is needed. :class:`URI` is one URI reference, and :class:`URL` one URL as browsers parse it.
:func:`read`, :func:`convert` and :func:`links` read files, :func:`report` sums up a log, and :func:`index` and
:class:`Lookup` are for web archives.
"""

from __future__ import annotations

from ._bulk import canonical, components, fingerprint, host_parts, normalize, schema
from ._errors import RejectError
from ._files import convert, index, links, read, report
from ._one import explain, flag_names
from ._pairs import compare, relativize, resolve
from ._texts import decode, encode, extract
from ._urimill import URI, URL, Column, Lookup, ReportState, Schema, Stream, Table, __version__
from ._urimill import codes as _codes
from ._urimill import columns as _columns
from ._urimill import flags as _flags

#: Every column that :func:`normalize` can make, and its meaning.
COLUMNS: dict[str, str] = _columns()
#: The bits of the column ``flags``, by name.
FLAGS: dict[str, int] = _flags()
#: The codes of the column ``error``, and their meanings.
CODES: dict[str, str] = _codes()

__all__ = [
    "CODES",
    "COLUMNS",
    "FLAGS",
    "URI",
    "URL",
    "Column",
    "Lookup",
    "RejectError",
    "ReportState",
    "Schema",
    "Stream",
    "Table",
    "__version__",
    "canonical",
    "compare",
    "components",
    "convert",
    "decode",
    "encode",
    "explain",
    "extract",
    "fingerprint",
    "flag_names",
    "host_parts",
    "index",
    "links",
    "normalize",
    "read",
    "relativize",
    "report",
    "resolve",
    "schema",
]
