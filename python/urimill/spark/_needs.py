"""The packages that urimill.spark needs, checked when it is first used."""

from __future__ import annotations

import re


def pyspark() -> tuple[int, int]:
    """The version of PySpark; an ImportError names a missing package."""
    needs = "urimill.spark needs PySpark 3.5 or later and pyarrow 15 or later"
    try:
        import pyarrow
        import pyspark
    except ImportError as error:
        raise ImportError(f"{needs}, and there is no {error.name}: pip install 'urimill[spark]'") from None
    for package, least in [(pyspark, (3, 5)), (pyarrow, (15, 0))]:
        if _version(package.__version__) < least:
            raise ImportError(f"{needs}, and this is {package.__name__} {package.__version__}")
    return _version(pyspark.__version__)


def _version(text: str) -> tuple[int, int]:
    numbers = [int(number) for number in re.findall(r"\d+", text)[:2]]
    return numbers[0], numbers[1]
