"""The work of executors, in Python processes that live from task to task: batches in, batches out.

Spark sends objects of these classes by the names of their classes, so executors need urimill, too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._urimill import Engine, __version__
from ._options import Options

if TYPE_CHECKING:
    import pandas
    import pyarrow


@functools.lru_cache(maxsize=8)
def engine(options: Options) -> Engine:
    """The engine of this process for these options: made once for all batches and tasks."""
    return Engine(**dict(options))


def check_version(version: str) -> None:
    """Refuses work planned by another version, whose columns may differ."""
    if version != __version__:
        raise RuntimeError(
            f"the driver has urimill {version} and this executor has {__version__}: install the same version on both"
        )


@dataclass(frozen=True)
class Rows:
    """Makes batches of a frame with urimill's columns before those that pass through."""

    options: Options
    #: The positions of the texts, of their bases, and of the columns that pass through.
    uri: int
    base: int | None
    kept: tuple[int, ...]
    #: The names of all columns in the result.
    names: tuple[str, ...]
    version: str = __version__

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        check_version(self.version)
        mill = engine(self.options)
        for batch in batches:
            bases = None if self.base is None else batch.column(self.base)
            table = mill.table(batch.column(self.uri), bases).to_pyarrow()
            # Columns that pass through are not copied, unless an option hides parts of them.
            passed = batch.select(list(self.kept))
            if mill.hides and self.kept:
                passed = mill.hidden(passed).to_pyarrow()
            columns = [*table.columns, *passed.columns]
            yield from pyarrow.Table.from_arrays(columns, names=list(self.names)).to_batches()


@dataclass(frozen=True)
class Values:
    """Columns to a column: a struct of urimill's columns, or the single column asked for."""

    options: Options
    is_struct: bool
    version: str = __version__

    def table(self, texts: Any, bases: Any) -> pyarrow.Table:
        check_version(self.version)
        return engine(self.options).table(texts, bases).to_pyarrow()


class Arrays(Values):
    """The function on Arrow arrays."""

    # The name of the method is the one that Spark shows.
    def urimill(self, texts: pyarrow.Array, bases: pyarrow.Array | None = None) -> pyarrow.Array:
        table = self.table(texts, bases)
        column = table.to_struct_array() if self.is_struct else table.column(0)
        return column.combine_chunks()


class Series(Values):
    """The function on pandas Series."""

    def urimill(self, texts: pandas.Series, bases: pandas.Series | None = None) -> pandas.DataFrame | pandas.Series:
        import pandas
        import pyarrow

        # Other integer types of pandas have no nulls.
        integers = {pyarrow.int32(): pandas.Int32Dtype(), pyarrow.int64(): pandas.Int64Dtype()}
        frame: pandas.DataFrame = self.table(texts, bases).to_pandas(types_mapper=integers.get)
        return frame if self.is_struct else frame.iloc[:, 0]
