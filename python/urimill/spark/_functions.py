"""Functions of columns, for ``select``, ``withColumn`` and SQL."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .._types import Disagreeing, Form, Level, Names, Path, Standard
from .._urimill import URI
from . import _needs
from ._frames import fields
from ._options import checked
from ._work import Arrays, Series

if TYPE_CHECKING:
    from pyspark.sql.types import DataType


def udf(
    columns: Names | None = None,
    *,
    base: str | URI | bool | None = None,
    compat: bool = False,
    spec: Standard = "rfc3986",
    on_disagreement: Disagreeing = "keep",
    level: Level = "scheme",
    repair: bool = False,
    default_scheme: str | None = None,
    refang: bool = False,
    psl: Path | None = None,
    psl_unlisted: bool = False,
    canonical: Form | None = None,
    drop_params: Names = (),
    drop_tracking: bool = False,
    port_rules: Path | None = None,
    mask_passwords: bool = False,
    drop_userinfo: bool = False,
    max_record: int = 1 << 20,
    threads: int = 1,
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
    keywords = {
        "base": None if isinstance(base, bool) else base,
        "own_bases": base is True,
        "compat": compat,
        "spec": spec,
        "on_disagreement": on_disagreement,
        "level": level,
        "repair": repair,
        "default_scheme": default_scheme,
        "refang": refang,
        "columns": columns,
        "psl": psl,
        "psl_unlisted": psl_unlisted,
        "canonical": canonical,
        "drop_params": drop_params,
        "drop_tracking": drop_tracking,
        "port_rules": port_rules,
        "mask_passwords": mask_passwords,
        "drop_userinfo": drop_userinfo,
        "max_record": max_record,
        "threads": threads,
    }
    options, engine = checked(keywords)
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
            return theirs.arrow_udf(Arrays(options, is_struct).urimill, kind, theirs.ArrowUDFType.SCALAR)
        return theirs.pandas_udf(Series(options, is_struct).urimill, kind, theirs.PandasUDFType.SCALAR)
