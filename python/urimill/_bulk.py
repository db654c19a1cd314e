"""Functions on columns: any with the Arrow PyCapsule protocol, or lists.

All functions have these arguments in common:

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

from typing import TYPE_CHECKING, overload

from . import _urimill as _native
from ._types import Component, Data, Form, Keep, Level, Names, Path, Spec, Standard, Strings
from ._urimill import URI, Schema, Stream, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RecordOptions


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
    data: Data,
    component: Component = ...,
    *,
    keep_triplets: bool = ...,
    spec: Spec = ...,
    uri: str | None = ...,
    keep: Keep = ...,
    strings: Strings = ...,
    threads: int | None = ...,
    stream: bool | None = ...,
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
    data: Data,
    component: Component | None = ...,
    *,
    lenient: bool = ...,
    spec: Spec = ...,
    uri: str | None = ...,
    keep: Keep = ...,
    strings: Strings = ...,
    threads: int | None = ...,
    stream: bool | None = ...,
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
