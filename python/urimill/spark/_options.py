"""Keywords of a call to options of an engine. Checked on the driver, so that faults show at the call."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any

from .._urimill import URI, Engine

#: The options of an engine, in a form that can be sent and be the key of a cache.
Options = tuple[tuple[str, Any], ...]


def checked(keywords: Mapping[str, Any]) -> tuple[Options, Engine]:
    """The options, and an engine with them."""
    given = {name: value for name, value in keywords.items() if value is not None}
    given["columns"] = _columns(given.get("columns"))
    if isinstance(given.get("base"), URI):
        given["base"] = str(given["base"])
    engine = Engine(**given)
    for name in ("psl", "port_rules"):
        if name in given:
            # The driver reads the file: executors may have no such file, or a different one.
            given[name] = pathlib.Path(given[name]).read_bytes()
    frozen = {name: value if isinstance(value, (str, bytes, int)) else tuple(value) for name, value in given.items()}
    return tuple(sorted(frozen.items())), engine


def names(value: Any, argument: str) -> list[str]:
    """Names from a list, or from a text with commas between them."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return list(value)
    raise TypeError(f"{argument} must be a str or a list of str, not {type(value).__name__}")


def _columns(asked: Any) -> str:
    """The columns without ``record``, which the default table has."""
    listed = [] if asked is None else [name for part in names(asked, "columns") for name in names(part, "columns")]
    if any(name.lstrip("+") == "record" for name in listed):
        raise ValueError(
            "the column record is the number of a row, and the rows of a frame have none: leave it out, or add a column of "
            "pyspark.sql.functions.monotonically_increasing_id()"
        )
    listed = [name for name in listed if name]
    if asked is None or (listed and all(name[0] in "+-" for name in listed)):
        listed.append("-record")
    return ",".join(listed)
