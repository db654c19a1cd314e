"""The namespace ``uri`` of Polars: ``import urimill.polars`` gives it to expressions and Series.

>>> import polars, urimill.polars
>>> frame = polars.LazyFrame({"url": ["HTTP://www.Example.com:80/%7Ea", None, "http://example.com/a b"]})
>>> urls = polars.col("url")
>>> frame.select(urls.uri.normalize(), host=urls.uri.host(), error=urls.uri.error()).collect().rows()
[('http://www.example.com/~a', 'www.example.com', None), (None, None, None), ('http://example.com/a b', None, 'path_invalid_char')]

Expressions are lazy and elementwise: the streaming engine runs them too, and wrong options are errors where the
expression is made. Each method reads the texts once, so several columns are faster by ``struct``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import polars

from ._bulk import normalize
from ._namespace import Namespace
from ._types import Data, Names
from ._urimill import Column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RecordOptions


@polars.api.register_series_namespace("uri")
class SeriesNamespace(Namespace[polars.Series]):
    """The methods of ``series.uri``: a Series of as many rows, with the name of the texts."""

    def __init__(self, series: polars.Series) -> None:
        self._series = series

    def _made(self, call: Callable[[Data], Column]) -> polars.Series:
        return call(self._series).to_polars().rename(self._series.name)

    def struct(self, columns: Names, **options: Unpack[RecordOptions]) -> polars.Series:
        """Several columns of the table, as a Series of structs; ``.struct.unnest()`` makes a frame of it."""
        table = normalize(self._series, columns=columns, stream=False, **options)
        return table.to_polars().to_struct(self._series.name)


@polars.api.register_expr_namespace("uri")
class ExprNamespace(Namespace[polars.Expr]):
    """The methods of ``expression.uri``: elementwise expressions."""

    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    def _made(self, call: Callable[[Data], Column]) -> polars.Expr:
        return self._mapped(lambda series: SeriesNamespace(series)._made(call))

    def struct(self, columns: Names, **options: Unpack[RecordOptions]) -> polars.Expr:
        """Several columns of the table, as structs; ``.struct.unnest()`` makes columns of them."""
        return self._mapped(lambda series: SeriesNamespace(series).struct(columns, **options))

    def _mapped(self, call: Callable[[polars.Series], polars.Series]) -> polars.Expr:
        # What it makes of no rows has the type, and refuses wrong options.
        kind = call(polars.Series("", [], polars.String)).dtype
        return self._expression.map_batches(call, return_dtype=kind, is_elementwise=True)
