"""Functions on columns of running text and of data; their arguments are described in ``_bulk``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from . import _urimill as _native
from ._bulk import Once
from ._types import Component, Data, Held, Keep, Level, Spec, Strings
from ._urimill import Stream, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._calls import Decode, Encode, Extract


@overload
def extract(data: Held, *, stream: Literal[False] | None = ..., **options: Unpack[Extract]) -> Table: ...
@overload
def extract(data: Once, *, stream: Literal[True] | None = ..., **options: Unpack[Extract]) -> Stream: ...
@overload
def extract(data: Data, *, stream: Literal[True], **options: Unpack[Extract]) -> Stream: ...
@overload
def extract(data: Data, *, stream: Literal[False], **options: Unpack[Extract]) -> Table: ...
@overload
def extract(data: Data, *, stream: bool | None = ..., **options: Unpack[Extract]) -> Table | Stream: ...
def extract(
    data: Data,
    *,
    uri: str | None = None,
    spec: Spec = "rfc3986",
    level: Level = "none",
    default_scheme: str = "http",
    no_suffix: bool = False,
    refang: bool = False,
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """The URIs in a column of running text: a row for each, with the number of its text from 1 in ``record``.

    ``offset`` and ``length`` are bytes of the text in UTF-8; ``raw`` is the URI as it is written there. ``refang``
    finds URIs that were made harmless (``hxxp://example[.]com``) as what they were.

    >>> import urimill
    >>> urimill.extract(["See <http://example.com/a>, or www.example.org.", "None here."])["uri"].to_pylist()
    ['http://example.com/a', 'http://www.example.org']
    """
    if isinstance(data, (str, bytes)):
        data = [data]
    return _native.extract(
        data,
        uri=uri,
        spec=spec,
        level=level,
        default_scheme=default_scheme,
        no_suffix=no_suffix,
        refang=refang,
        strings=strings,
        threads=threads,
        stream=stream,
    )


@overload
def encode(  # type: ignore[overload-overlap]
    data: str | bytes, component: Component = ..., *, keep_triplets: bool = ..., spec: Spec = ...
) -> str: ...
@overload
def encode(
    data: Held, component: Component = ..., *, stream: Literal[False] | None = ..., **options: Unpack[Encode]
) -> Table: ...
@overload
def encode(
    data: Once, component: Component = ..., *, stream: Literal[True] | None = ..., **options: Unpack[Encode]
) -> Stream: ...
@overload
def encode(data: Data, component: Component = ..., *, stream: Literal[True], **options: Unpack[Encode]) -> Stream: ...
@overload
def encode(data: Data, component: Component = ..., *, stream: Literal[False], **options: Unpack[Encode]) -> Table: ...
@overload
def encode(
    data: Data, component: Component = ..., *, stream: bool | None = ..., **options: Unpack[Encode]
) -> Table | Stream: ...
def encode(
    data: str | bytes | Data,
    component: Component = "unreserved",
    *,
    keep_triplets: bool = False,
    spec: Spec = "rfc3986",
    uri: str | None = None,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> str | Table | Stream:
    """Percent-encodes data for a component: of a str or bytes the text, of a column a table with ``encoded``, ``error``
    and ``error_offset``.

    A host takes UTF-8 alone (RFC 3986, 3.2.2): other bytes are a :class:`~urimill.RejectError`, in a column the error
    ``not_utf8``.

    >>> import urimill
    >>> urimill.encode("AC/DC 100%", "segment")
    'AC%2FDC%20100%25'
    >>> urimill.encode(["a b", None], "path")["encoded"].to_pylist()
    ['a%20b', None]
    """
    if isinstance(data, (str, bytes)):
        return _native.encode_text(data, component, keep_triplets, spec)
    return _native.encode(
        data,
        component=component,
        keep_triplets=keep_triplets,
        spec=spec,
        uri=uri,
        keep=keep,
        strings=strings,
        threads=threads,
        stream=stream,
    )


@overload
def decode(  # type: ignore[overload-overlap]
    data: str, component: Component | None = ..., *, lenient: bool = ..., spec: Spec = ...
) -> str: ...
@overload
def decode(data: bytes, component: Component | None = ..., *, lenient: bool = ..., spec: Spec = ...) -> bytes: ...
@overload
def decode(
    data: Held, component: Component | None = ..., *, stream: Literal[False] | None = ..., **options: Unpack[Decode]
) -> Table: ...
@overload
def decode(
    data: Once, component: Component | None = ..., *, stream: Literal[True] | None = ..., **options: Unpack[Decode]
) -> Stream: ...
@overload
def decode(
    data: Data, component: Component | None = ..., *, stream: Literal[True], **options: Unpack[Decode]
) -> Stream: ...
@overload
def decode(
    data: Data, component: Component | None = ..., *, stream: Literal[False], **options: Unpack[Decode]
) -> Table: ...
@overload
def decode(
    data: Data, component: Component | None = ..., *, stream: bool | None = ..., **options: Unpack[Decode]
) -> Table | Stream: ...
def decode(
    data: str | bytes | Data,
    component: Component | None = None,
    *,
    lenient: bool = False,
    spec: Spec = "rfc3986",
    uri: str | None = None,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> str | bytes | Table | Stream:
    """Decodes the triplets of a component that has been split off.

    A str gives a str (``UnicodeDecodeError`` if the data is not UTF-8), and bytes give bytes; a wrong triplet, or a
    character that ``component`` cannot hold, raises :class:`~urimill.RejectError`. A column gives a table with
    ``decoded``, ``decoded_bytes`` (if the data is not UTF-8), ``error`` and ``error_offset``.

    >>> import urimill
    >>> urimill.decode("AC%2FDC", "segment"), urimill.decode(b"%E9")
    ('AC/DC', b'\\xe9')
    >>> urimill.decode(["a%20b", "%E9", "%4"]).to_pydict()  # doctest: +NORMALIZE_WHITESPACE
    {'decoded': ['a b', None, None], 'decoded_bytes': [None, b'\\xe9', None],
     'error': [None, None, 'percent_truncated'], 'error_offset': [None, None, 2]}
    """
    if isinstance(data, (str, bytes)):
        decoded = _native.decode_text(data, component, lenient, spec)
        return decoded.decode() if isinstance(data, str) else decoded
    return _native.decode(
        data,
        component=component,
        lenient=lenient,
        spec=spec,
        uri=uri,
        keep=keep,
        strings=strings,
        threads=threads,
        stream=stream,
    )
