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
    """A function of a column of references, whose value is a struct of urimill's columns, or the one that is asked for.

    Keywords are those of :func:`normalize`. ``base`` is a URI; or True, and then the function takes a second column, which
    has the base of each row. ``spark.udf.register`` makes it a function of SQL.

    It is an Arrow UDF from PySpark 4.1 on, and one of pandas before, which takes pandas and costs copies. :func:`normalize`
    is quicker than both where many columns are wanted.

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

    # Which of its functions there are depends on its version.
    theirs: Any = functions
    with warnings.catch_warnings():
        # It would rather tell the kind by annotations, which it evaluates: they name packages that are imported later.
        warnings.simplefilter("ignore", UserWarning)
        if version >= (4, 1):
            return theirs.arrow_udf(Arrays(made, is_struct).urimill, kind, theirs.ArrowUDFType.SCALAR)
        return theirs.pandas_udf(Series(made, is_struct).urimill, kind, theirs.PandasUDFType.SCALAR)
