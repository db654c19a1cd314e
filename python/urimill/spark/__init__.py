"""urimill on a Spark cluster: a column of a ``pyspark.sql.DataFrame`` gives the same rows as a column on one machine.

:func:`normalize` adds urimill's columns to a frame, :func:`udf` makes a function of columns, :func:`read` makes a frame
of logs, :func:`links` a frame of the references in pages, and :func:`report` a report of logs. It needs PySpark 3.5 or
later, and urimill and pyarrow on every executor; ``docs/SPARK.md`` shows how to install them. Neither ``import
urimill`` nor ``import urimill.spark`` imports PySpark.
"""

from __future__ import annotations

from ._files import links, read
from ._frames import normalize
from ._functions import udf
from ._reports import report

__all__ = ["links", "normalize", "read", "report", "udf"]
