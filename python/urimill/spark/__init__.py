"""urimill on a Spark cluster: what it does to a column here, it does to one of a ``pyspark.sql.DataFrame``, row for row.

:func:`normalize` puts the columns into a frame, :func:`udf` makes a function of columns, :func:`read` makes a frame of the
logs that urimill reads, :func:`links` one of the references in pages, :func:`report` a report of logs. It takes PySpark
3.5 or later, and urimill and pyarrow on every executor; ``docs/SPARK.md`` says how they come there. ``import urimill`` does not import PySpark, and neither does ``import urimill.spark``.
"""

from __future__ import annotations

from ._files import links, read
from ._frames import normalize
from ._functions import udf
from ._reports import report

__all__ = ["links", "normalize", "read", "report", "udf"]
