"""Functions of columns, for ``select``, ``withColumn`` and SQL."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .._types import Names
from .._urimill import URI
from . import _needs
from ._frames import fields
from ._options import checked
from ._work import Arrays, Series

if TYPE_CHECKING:
    from pyspark.sql.types import DataType
    from typing_extensions import Unpack

    from .._options import RecordOptions


def udf(
    columns: Names | None = None,
    *,
    base: str | URI | bool | None = None,
    threads: int = 1,
    **options: Unpack[RecordOptions],
) -> Any:
    """A function of a column of references, whose value is a struct of urimill's columns, or a single column.

    Keywords are those of :func:`normalize`. ``base`` is a URI; or True, and then the function takes a second column
    with the base of each row. ``spark.udf.register`` makes it a function of SQL.

    From PySpark 4.1 on it is an Arrow UDF; before, it is a pandas UDF, which needs pandas and copies data. For many
    columns :func:`normalize` is faster than both.

    >>> import urimill.spark
    >>> links = spark.createDataFrame([("HTTP://Example.com:80/%7Ea",), ("/a b",)], "url string")
    >>> links.select(urimill.spark.udf("uri")("url").alias("uri")).collect()
    [Row(uri='http://example.com/~a'), Row(uri='/a b')]
    >>> _ = spark.udf.register("parts", urimill.spark.udf("host,error"))
    >>> spark.sql("SELECT parts('http://[::1]/').host AS host, parts('/a b').error AS error").collect()
    [Row(host='[::1]', error='path_invalid_char')]
    """
    version = _needs.pyspark()
    if base is not None and not isinstance(base, (str, URI, bool)):
        raise TypeError(f"base must be a URI, or True where a second column has them, not {type(base).__name__}")
    of_column = {"base": None if isinstance(base, bool) else base, "own_bases": base is True}
    made, engine = checked({**of_column, "columns": columns, "threads": threads, **options})
    from pyspark.sql.types import StructType

    own = fields(engine.schema.to_pyarrow())
    kind: DataType = own[0].dataType if len(own) == 1 else StructType(own)
    is_struct = len(own) > 1
    from pyspark.sql.pandas import functions

    # The functions that this module has depend on the version.
    theirs: Any = functions
    with warnings.catch_warnings():
        # PySpark prefers annotations and warns. It would evaluate them, and they name packages imported later.
        warnings.simplefilter("ignore", UserWarning)
        if version >= (4, 1):
            return theirs.arrow_udf(Arrays(made, is_struct).urimill, kind, theirs.ArrowUDFType.SCALAR)
        return theirs.pandas_udf(Series(made, is_struct).urimill, kind, theirs.PandasUDFType.SCALAR)
