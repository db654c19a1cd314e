"""Functions on columns: any with the Arrow PyCapsule protocol, or lists.

The functions have these arguments in common:

``data`` is a column, a table or a stream: anything with ``__arrow_c_array__`` or ``__arrow_c_stream__``, or an iterable
of str, bytes and None. ``uri`` names the column of a table that holds the URIs. A table's other columns pass through,
after those of urimill; ``keep`` chooses them ("all", "none" or names), and a name that urimill has too gets ``field_``
before it.

Data that can be read only once, such as a ``pyarrow.RecordBatchReader``, gives a :class:`~urimill.Stream`, all other
data a :class:`~urimill.Table`; ``stream`` overrides this. ``strings`` is the Arrow type of the texts in the result, by
default views if the texts are views, as those of Polars, and otherwise strings. Rows of several columns belong together
by their order, whatever their index in pandas; that of ``data`` comes back with ``to_pandas``.
``threads`` is the number of threads, by default ``RAYON_NUM_THREADS`` or the number of processors; other threads of
Python go on meanwhile. A null gives a row of nulls, and a text that is not a URI reference a row with an error code in
``error``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Union, overload

from . import _urimill as _native
from ._types import ArrowReader, Data, Form, Held, Keep, Level, Names, Path, Standard, Strings
from ._urimill import URI, Schema, Stream, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._calls import Canonical, Components, Fingerprint, HostParts, Normalize
    from ._options import RecordOptions

#: Data that gives a stream, unless ``stream=False``.
Once = Union[Stream, ArrowReader]


@overload
def normalize(data: Held | bytes, *, stream: Literal[False] | None = ..., **options: Unpack[Normalize]) -> Table: ...
@overload
def normalize(data: Once, *, stream: Literal[True] | None = ..., **options: Unpack[Normalize]) -> Stream: ...
@overload
def normalize(data: Data | bytes, *, stream: Literal[True], **options: Unpack[Normalize]) -> Stream: ...
@overload
def normalize(data: Data | bytes, *, stream: Literal[False], **options: Unpack[Normalize]) -> Table: ...
@overload
def normalize(data: Data | bytes, *, stream: bool | None = ..., **options: Unpack[Normalize]) -> Table | Stream: ...
def normalize(
    data: Data | bytes,
    *,
    uri: str | None = None,
    base: str | URI | Data | None = None,
    columns: Names | None = None,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
    **options: Unpack[RecordOptions],
) -> Table | Stream:
    r"""Splits, validates and normalizes a column: the table of ``urimill normalize``.

    Bytes with line feeds are the lines of a file: a blank one has no row, but a number in ``record``.

    ``base`` is a URI, the name of a column of the table, or a column with one base for each row: references are
    resolved against it first. With a column of bases, the column ``base`` of the result has
    them as they were used. ``columns`` are
    names, or changes of the default table: ``"+surt,-raw"``. The other options (``compat``, ``spec``, ``level``,
    ``repair``, ``canonical``, ``mask_passwords``, …) are those of the command line with underscores:
    ``docs/OPTIONS.md`` lists them. ``spec="whatwg"`` reads as browsers do; with an RFC, the columns ``whatwg_uri``,
    ``whatwg_host`` and ``disagreement`` show how browsers read the same text.

    >>> import urimill
    >>> table = urimill.normalize(["HTTP://example.com:80/%7Ea?q#f", "//[::1]:8080/a b"])
    >>> table["uri"].to_pylist()
    ['http://example.com/~a?q#f', '//[::1]:8080/a b']
    >>> table["path"].to_pylist(), table["error"].to_pylist(), table["error_offset"].to_pylist()
    (['/~a', None], [None, 'path_invalid_char'], [None, 14])
    >>> links = urimill.normalize(["../c", "?x"], base=["http://example.com/a/b", "http://example.org/"])
    >>> links["uri"].to_pylist(), links["base"].to_pylist()
    (['http://example.com/c', 'http://example.org/?x'], ['http://example.com/a/b', 'http://example.org/'])
    >>> urimill.normalize(["hxxps[:]//www[.]example[.]com/"], refang=True)["uri"].to_pylist()
    ['https://www.example.com/']
    >>> urimill.normalize(["http://joe:pw@example.com/?u=http://joe:pw@example.org/"], mask_passwords=True)["uri"].to_pylist()
    ['http://joe:***@example.com/?u=http://joe:***@example.org/']
    >>> both = urimill.normalize([r"http://a.example\@b.example/"], columns="host,whatwg_host,disagreement")
    >>> both["whatwg_host"].to_pylist(), both["disagreement"].to_pylist()
    (['a.example'], [['host_differs', 'backslash_authority', 'invalid_for_rfc']])
    """
    return _native.normalize(
        data, uri=uri, base=base, columns=columns, keep=keep, strings=strings, threads=threads, stream=stream, **options
    )


@overload
def canonical(
    data: Held, form: Form, *, stream: Literal[False] | None = ..., **options: Unpack[Canonical]
) -> Table: ...
@overload
def canonical(
    data: Once, form: Form, *, stream: Literal[True] | None = ..., **options: Unpack[Canonical]
) -> Stream: ...
@overload
def canonical(data: Data, form: Form, *, stream: Literal[True], **options: Unpack[Canonical]) -> Stream: ...
@overload
def canonical(data: Data, form: Form, *, stream: Literal[False], **options: Unpack[Canonical]) -> Table: ...
@overload
def canonical(data: Data, form: Form, *, stream: bool | None = ..., **options: Unpack[Canonical]) -> Table | Stream: ...
def canonical(
    data: Data,
    form: Form,
    *,
    uri: str | None = None,
    base: str | URI | Data | None = None,
    spec: Standard = "rfc3986",
    repair: bool = False,
    drop_params: Names = (),
    drop_tracking: bool = False,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """The canonical form by the rules of another tool: columns ``canonical``, ``error`` and ``error_offset``.

    >>> import urimill
    >>> urimill.canonical(["http://www.Example.com:80/?b=1&a=2&utm_source=x#f"], "wayback", drop_tracking=True)[
    ...     "canonical"
    ... ].to_pylist()
    ['http://example.com/?a=2&b=1']
    """
    return normalize(
        data,
        uri=uri,
        base=base,
        spec=spec,
        repair=repair,
        canonical=form,
        drop_params=drop_params,
        drop_tracking=drop_tracking,
        columns="canonical,error,error_offset",
        keep=keep,
        strings=strings,
        threads=threads,
        stream=stream,
    )


@overload
def host_parts(data: Held, *, stream: Literal[False] | None = ..., **options: Unpack[HostParts]) -> Table: ...
@overload
def host_parts(data: Once, *, stream: Literal[True] | None = ..., **options: Unpack[HostParts]) -> Stream: ...
@overload
def host_parts(data: Data, *, stream: Literal[True], **options: Unpack[HostParts]) -> Stream: ...
@overload
def host_parts(data: Data, *, stream: Literal[False], **options: Unpack[HostParts]) -> Table: ...
@overload
def host_parts(data: Data, *, stream: bool | None = ..., **options: Unpack[HostParts]) -> Table | Stream: ...
def host_parts(
    data: Data,
    *,
    uri: str | None = None,
    base: str | URI | Data | None = None,
    spec: Standard = "rfc3986",
    repair: bool = False,
    default_scheme: str | None = None,
    psl: Path | None = None,
    psl_unlisted: bool = False,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """The parts of each reference's host as a name of the DNS, by IDNA and the public suffix list.

    >>> import urimill
    >>> urimill.host_parts(["https://docs.example.github.io/a"]).to_pylist()  # doctest: +NORMALIZE_WHITESPACE
    [{'host': 'docs.example.github.io', 'host_kind': 'dns_name', 'host_address': None,
      'host_ascii': 'docs.example.github.io', 'host_unicode': 'docs.example.github.io',
      'host_reversed': 'io.github.example.docs', 'host_parts': ['io', 'github', 'example', 'docs'], 'tld': 'io',
      'public_suffix': 'io', 'registered_domain': 'github.io', 'private_suffix': 'github.io',
      'private_domain': 'example.github.io'}]
    """
    return normalize(
        data,
        uri=uri,
        base=base,
        spec=spec,
        repair=repair,
        default_scheme=default_scheme,
        psl=psl,
        psl_unlisted=psl_unlisted,
        columns=(
            "host,host_kind,host_address,host_ascii,host_unicode,host_reversed,host_parts,tld,public_suffix,"
            "registered_domain,private_suffix,private_domain"
        ),
        keep=keep,
        strings=strings,
        threads=threads,
        stream=stream,
    )


@overload
def fingerprint(data: Held, *, stream: Literal[False] | None = ..., **options: Unpack[Fingerprint]) -> Table: ...
@overload
def fingerprint(data: Once, *, stream: Literal[True] | None = ..., **options: Unpack[Fingerprint]) -> Stream: ...
@overload
def fingerprint(data: Data, *, stream: Literal[True], **options: Unpack[Fingerprint]) -> Stream: ...
@overload
def fingerprint(data: Data, *, stream: Literal[False], **options: Unpack[Fingerprint]) -> Table: ...
@overload
def fingerprint(data: Data, *, stream: bool | None = ..., **options: Unpack[Fingerprint]) -> Table | Stream: ...
def fingerprint(
    data: Data,
    *,
    uri: str | None = None,
    base: str | URI | Data | None = None,
    spec: Standard = "rfc3986",
    level: Level = "scheme",
    repair: bool = False,
    keep: Keep = "all",
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """A hash of the normal form, XXH3-64, in the column ``fingerprint``: equal URIs have equal numbers.

    >>> import urimill
    >>> a, b = urimill.fingerprint(["HTTP://example.com", "http://example.com:80/"])["fingerprint"]
    >>> a == b
    True
    """
    return normalize(
        data,
        uri=uri,
        base=base,
        spec=spec,
        level=level,
        repair=repair,
        columns="fingerprint",
        keep=keep,
        threads=threads,
        stream=stream,
    )


@overload
def components(data: Held, *, stream: Literal[False] | None = ..., **options: Unpack[Components]) -> Table: ...
@overload
def components(data: Once, *, stream: Literal[True] | None = ..., **options: Unpack[Components]) -> Stream: ...
@overload
def components(data: Data, *, stream: Literal[True], **options: Unpack[Components]) -> Stream: ...
@overload
def components(data: Data, *, stream: Literal[False], **options: Unpack[Components]) -> Table: ...
@overload
def components(data: Data, *, stream: bool | None = ..., **options: Unpack[Components]) -> Table | Stream: ...
def components(
    data: Data,
    *,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """The components of the URIs of a table with their positions: columns ``uri``, ``scheme``, ``userinfo``, ``host``,
    ``port``, ``path``, ``query`` and ``fragment``.

    ``data`` is a table with the columns ``uri``, ``scheme_end``, ``host_start``, ``host_end``, ``path_start``,
    ``path_end`` and ``query_end``, as :func:`normalize` and the command line write them. Its other columns keep
    their names. Positions that are not those of a URI in their row raise a ``ValueError``.

    >>> import urimill
    >>> columns = "uri,scheme_end,host_start,host_end,path_start,path_end,query_end"
    >>> table = urimill.normalize(["HTTP://joe@Example.com:8080/a?b", "/c#"], columns=columns)
    >>> table["host_start"].to_pylist(), table["query_end"].to_pylist()
    ([11, None], [31, None])
    >>> urimill.components(table).to_pylist()  # doctest: +NORMALIZE_WHITESPACE
    [{'uri': 'http://joe@example.com:8080/a?b', 'scheme': 'http', 'userinfo': 'joe', 'host': 'example.com',
      'port': 8080, 'path': '/a', 'query': 'b', 'fragment': None},
     {'uri': '/c#', 'scheme': None, 'userinfo': None, 'host': None, 'port': None, 'path': '/c', 'query': None,
      'fragment': ''}]
    """
    return _native.components(data, keep=keep, strings=strings, threads=threads, stream=stream)


def schema(
    *,
    columns: Names | None = None,
    canonical: Form | None = None,
    strings: Strings = "string",
) -> Schema:
    """The schema that :func:`normalize` gives for one column.

    >>> import urimill
    >>> urimill.schema().names[:4]
    ['record', 'uri', 'raw', 'scheme']
    """
    return _native.schema(columns=columns, canonical=canonical, strings=strings)
