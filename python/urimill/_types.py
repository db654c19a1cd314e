"""Types of arguments and results, for type checkers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, Union, runtime_checkable


@runtime_checkable
class ArrowArray(Protocol):
    """An array or a record batch, such as ``pyarrow.Array``."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


@runtime_checkable
class ArrowStream(Protocol):
    """A column in chunks, a table or a stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowTable(Protocol):
    """A column in chunks or a table, which can be read more than once, such as ``polars.DataFrame``."""

    def __len__(self) -> int: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowReader(Protocol):
    """A stream that is read once, such as ``pyarrow.RecordBatchReader``."""

    def read_next_batch(self) -> Any: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class MonthDayNano(NamedTuple):
    """An interval, as in columns that pass through."""

    months: int
    days: int
    nanoseconds: int


Texts = Iterable[Union[str, bytes, None]]
#: Data that gives a table, unless ``stream=True``.
Held = Union[ArrowArray, ArrowTable, Texts]
Data = Union[ArrowArray, ArrowStream, Texts]
Names = Union[str, Sequence[str]]
Path = Union[str, "os.PathLike[str]"]

Spec = Literal["rfc3986", "rfc3986-errata", "rfc2396"]
Standard = Literal["rfc3986", "rfc3986-errata", "rfc2396", "whatwg"]
Disagreeing = Literal["keep", "reject"]
Level = Literal["none", "case", "percent", "syntax", "scheme"]
Form = Literal["wayback", "crawler-commons", "w3lib"]
Strings = Literal["string", "large_string", "string_view"]
Component = Literal[
    "userinfo", "host", "path", "segment", "first-segment", "query", "query-value", "fragment", "unreserved"
]
Keep = Union[Literal["all", "none"], Names]
Explanation = dict[str, Any]
