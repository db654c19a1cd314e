"""Functions on columns of references and their bases or counterparts; their arguments are described in ``_bulk``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from . import _urimill as _native
from ._bulk import Once
from ._types import Data, Held, Keep, Level, Spec, Standard, Strings
from ._urimill import URI, Stream, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._calls import Compare, Relativize, Resolve


@overload
def resolve(
    data: Held, base: str | URI | Data, *, stream: Literal[False] | None = ..., **options: Unpack[Resolve]
) -> Table: ...
@overload
def resolve(
    data: Once, base: str | URI | Data, *, stream: Literal[True] | None = ..., **options: Unpack[Resolve]
) -> Stream: ...
@overload
def resolve(data: Data, base: str | URI | Data, *, stream: Literal[True], **options: Unpack[Resolve]) -> Stream: ...
@overload
def resolve(data: Data, base: str | URI | Data, *, stream: Literal[False], **options: Unpack[Resolve]) -> Table: ...
@overload
def resolve(
    data: Data, base: str | URI | Data, *, stream: bool | None = ..., **options: Unpack[Resolve]
) -> Table | Stream: ...
def resolve(
    data: Data,
    base: str | URI | Data,
    *,
    uri: str | None = None,
    compat: bool = False,
    spec: Standard = "rfc3986",
    level: Level = "none",
    repair: bool = False,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    r"""The targets of references (RFC 3986, 5.2): columns ``target``, ``error`` and ``error_offset``.

    Like ``urimill resolve`` it does not normalize targets unless ``level`` asks for it, and with ``repair`` it repairs
    references first. :func:`normalize` with ``base`` gives all columns of the targets.

    >>> import urimill
    >>> urimill.resolve(["../g", "?y", "/a b", None], "http://a/b/c/d;p?q")["target"].to_pylist()
    ['http://a/b/g', 'http://a/b/c/d;p?y', None, None]
    >>> urimill.resolve([r"\\g\h"], "http://a/b", spec="whatwg")["target"].to_pylist()
    ['http://g/h']
    >>> urimill.resolve(["a b", " "], "http://h/", repair=True)["target"].to_pylist()
    ['http://h/a%20b', 'http://h/']
    """
    return _native.resolve(
        data,
        base=base,
        uri=uri,
        compat=compat,
        spec=spec,
        level=level,
        repair=repair,
        keep=keep,
        strings=strings,
        threads=threads,
        stream=stream,
    )


@overload
def relativize(
    data: Held, base: str | URI | Data, *, stream: Literal[False] | None = ..., **options: Unpack[Relativize]
) -> Table: ...
@overload
def relativize(
    data: Once, base: str | URI | Data, *, stream: Literal[True] | None = ..., **options: Unpack[Relativize]
) -> Stream: ...
@overload
def relativize(
    data: Data, base: str | URI | Data, *, stream: Literal[True], **options: Unpack[Relativize]
) -> Stream: ...
@overload
def relativize(
    data: Data, base: str | URI | Data, *, stream: Literal[False], **options: Unpack[Relativize]
) -> Table: ...
@overload
def relativize(
    data: Data, base: str | URI | Data, *, stream: bool | None = ..., **options: Unpack[Relativize]
) -> Table | Stream: ...
def relativize(
    data: Data,
    base: str | URI | Data,
    *,
    uri: str | None = None,
    spec: Spec = "rfc3986",
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """The shortest references that lead from the base to URIs: columns ``reference``, ``error`` and ``error_offset``.

    No reference leads to a text without a scheme: its code is ``target_not_absolute``.

    >>> import urimill
    >>> urimill.relativize(["http://a/b/g", "http://c/"], "http://a/b/c/d;p?q")["reference"].to_pylist()
    ['../g', '//c/']
    """
    return _native.relativize(
        data, base=base, uri=uri, spec=spec, keep=keep, strings=strings, threads=threads, stream=stream
    )


@overload
def compare(a: Held, b: str | Data, *, stream: Literal[False] | None = ..., **options: Unpack[Compare]) -> Table: ...
@overload
def compare(
    a: Once, b: str | Data, *, stream: Literal[True] | None = ..., **options: Unpack[Compare]
) -> Stream: ...
@overload
def compare(a: Data, b: str | Data, *, stream: Literal[True], **options: Unpack[Compare]) -> Stream: ...
@overload
def compare(a: Data, b: str | Data, *, stream: Literal[False], **options: Unpack[Compare]) -> Table: ...
@overload
def compare(a: Data, b: str | Data, *, stream: bool | None = ..., **options: Unpack[Compare]) -> Table | Stream: ...
def compare(
    a: Data,
    b: str | Data,
    *,
    uri: str | None = None,
    base: str | None = None,
    spec: Spec = "rfc3986",
    level: Level = "scheme",
    ignore_fragments: bool = False,
    absolute_only: bool = False,
    keep: Keep = "all",
    strings: Strings | None = None,
    threads: int | None = None,
    stream: bool | None = None,
) -> Table | Stream:
    """The rung of the ladder on which the references of two columns are equal, row by row.

    ``a`` and ``b`` are columns; or ``a`` is a table, and ``uri`` and ``b`` are names of two of its columns. The result
    has the columns ``rung``, ``equal`` (whether the two are equal at ``level``), ``error_a`` and ``error_b``.

    ``ignore_fragments`` ignores fragments. With ``absolute_only`` and without ``base`` a relative reference is not
    compared (RFC 3986, 6.1): its code is ``scheme_missing``.

    >>> import urimill
    >>> table = urimill.compare(["http://a/~b", "http://a"], ["HTTP://a/%7Eb", "http://a/b"])
    >>> table["rung"].to_pylist(), table["equal"].to_pylist()
    (['percent', 'different'], [True, False])
    """
    return _native.compare(
        a,
        b,
        uri=uri,
        base=base,
        spec=spec,
        level=level,
        ignore_fragments=ignore_fragments,
        absolute_only=absolute_only,
        keep=keep,
        strings=strings,
        threads=threads,
        stream=stream,
    )
