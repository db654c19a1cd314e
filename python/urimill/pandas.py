"""The accessor ``uri`` of pandas: ``import urimill.pandas`` gives it to Series. It needs pyarrow.

>>> import pandas, urimill.pandas
>>> web = pandas.DataFrame({"url": ["http://a/", "http://b/", "http://c/"], "status": [200, 404, 200]})
>>> web = web[web["status"] == 200]
>>> web["host"] = web["url"].uri.host()
>>> web["host"].to_dict()
{0: 'a', 2: 'c'}
>>> web["url"].uri.frame("scheme,host").to_dict("list")
{'scheme': ['http', 'http'], 'host': ['a', 'c']}

Results have the index of the Series. Each method reads the texts once, so several columns are faster by ``frame``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas

from ._bulk import normalize
from ._namespace import Namespace
from ._types import Data, Names
from ._urimill import Column, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RecordOptions


@pandas.api.extensions.register_series_accessor("uri")
class SeriesAccessor(Namespace["pandas.Series[Any]"]):
    """The methods of ``series.uri``: a Series of as many rows, with the name and the index of the texts."""

    def __init__(self, series: pandas.Series[Any]) -> None:
        self._series = series

    def _made(self, call: Callable[[Data], Column]) -> pandas.Series[Any]:
        values: pandas.Series[Any] = call(self._series).to_pandas()
        values.name = self._series.name
        return values

    def frame(self, columns: Names, **options: Unpack[RecordOptions]) -> pandas.DataFrame:
        """Several columns of the table."""
        table: Table = normalize(self._series, columns=columns, stream=False, **options)
        return table.to_pandas()
