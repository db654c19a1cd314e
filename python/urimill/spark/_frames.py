"""A frame with urimill's columns. The driver makes the plan here, without running a job of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _urimill as _native
from .._types import Keep, Names, Standard
from .._urimill import URI
from . import _needs
from ._options import checked, names
from ._work import Rows

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField, StructType
    from typing_extensions import Unpack

    from .._options import RecordOptions


def normalize(
    df: DataFrame,
    uri: str = "url",
    base: str | URI | None = None,
    *,
    columns: Names | None = None,
    keep: Keep = "all",
    threads: int = 1,
    **options: Unpack[RecordOptions],
) -> DataFrame:
    """The frame with the columns of :func:`urimill.normalize` for its column ``uri``, made by ``mapInArrow``.

    Keywords, columns and values are those of :func:`urimill.normalize`, except for the column ``record``: rows of a
    frame have no numbers. ``base`` is a URI, or the name of a column that has one for each row. The other columns
    follow those of urimill, unchanged except that ``mask_passwords`` and ``drop_userinfo`` apply to them; ``keep``
    chooses them, and a name that urimill has too gets ``field_`` before it. Case counts in names only if it does for
    Spark. A null gives a row of nulls, and a text that is not a URI reference a row with an error code.

    The schema is known without running a job. Each task has ``threads`` threads, by default one, because Spark has a
    task for each core.

    >>> import urimill.spark
    >>> links = spark.createDataFrame([("../c?q", 7), (None, 8), ("/a b", 9)], "link string, n int")
    >>> table = urimill.spark.normalize(links, "link", "HTTP://example.com/a/b", columns="uri,host,error")
    >>> table.printSchema()
    root
     |-- uri: string (nullable = true)
     |-- host: string (nullable = true)
     |-- error: string (nullable = true)
     |-- n: integer (nullable = true)
    <BLANKLINE>
    >>> table.orderBy("n").show(truncate=False)
    +----------------------+-----------+-----------------+---+
    |uri                   |host       |error            |n  |
    +----------------------+-----------+-----------------+---+
    |http://example.com/c?q|example.com|NULL             |7  |
    |NULL                  |NULL       |NULL             |8  |
    |/a b                  |NULL       |path_invalid_char|9  |
    +----------------------+-----------+-----------------+---+
    <BLANKLINE>
    """
    _needs.pyspark()
    if not hasattr(df, "mapInArrow"):
        raise TypeError(f"df is a {type(df).__name__}: give a DataFrame of Spark; other data goes to urimill.normalize")
    from pyspark.sql.types import StructField, StructType

    found = Found(df)
    place = found.texts(uri, "uri")
    bases = found.base(base, options.get("spec") or "rfc3986")
    of_frame = {"base": base if bases is None else None, "own_bases": bases is not None}
    made, engine = checked({**of_frame, "columns": columns, "threads": threads, **options})
    kept = found.kept(keep, [place] if bases is None else [place, bases])
    own = fields(engine.schema.to_pyarrow())
    passed = [found.fields[at] for at in kept]
    renamed = found.free([field.name for field in passed])
    behind = [StructField(name, it.dataType, it.nullable, it.metadata) for name, it in zip(renamed, passed)]
    schema = StructType(own + behind)

    # Spark would send every column of the frame to Python: select those needed, by number, as names may occur twice.
    sent = list(dict.fromkeys([place, *([] if bases is None else [bases]), *kept]))
    numbered = df.toDF(*(f"c{at}" for at in range(len(found.fields)))).select(*(f"c{at}" for at in sent))
    rows = Rows(
        made,
        uri=sent.index(place),
        base=None if bases is None else sent.index(bases),
        kept=tuple(sent.index(at) for at in kept),
        names=tuple(schema.names),
    )
    return numbered.mapInArrow(rows, schema)


def fields(schema: pyarrow.Schema) -> list[StructField]:
    """Spark's fields for urimill's columns. All are nullable: a row without a text has nulls only."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField

    return [StructField(field.name, from_arrow_type(field.type, True), True) for field in schema]


class Found:
    """The columns of a frame."""

    def __init__(self, df: DataFrame) -> None:
        self.fields: list[StructField] = list(df.schema.fields)
        self.names = [field.name for field in self.fields]
        self._is_exact = df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"

    def _fold(self, name: str) -> str:
        return name if self._is_exact else name.lower()

    def _places(self, name: str) -> list[int]:
        folded = self._fold(name)
        same = [place for place, own in enumerate(self.names) if self._fold(own) == folded]
        exact = [place for place in same if self.names[place] == name]
        return exact if len(exact) == 1 else same

    def _place(self, name: str, missing: str) -> int:
        if not isinstance(name, str):
            raise TypeError(f"names of columns are str, not {type(name).__name__}")
        places = self._places(name)
        if not places:
            raise ValueError(f"there is no column {_quoted(name)} {missing}: choose from {', '.join(self.names)}")
        if len(places) > 1:
            raise ValueError(f"the frame has {len(places)} columns {_quoted(name)}: give each a name of its own")
        return places[0]

    def texts(self, name: str, argument: str) -> int:
        """The position of a column that holds texts."""
        place = self._place(name, f"for {argument}")
        kind = self.fields[place].dataType
        if kind.typeName() not in ("string", "binary", "void", "char", "varchar"):
            raise TypeError(
                f"texts cannot be read from the column {_quoted(name)} of type {kind.simpleString()}: give string or binary"
            )
        return place

    def base(self, base: str | URI | None, spec: Standard) -> int | None:
        """The position of the column that ``base`` names; None if it is not the name of a column."""
        if base is None or isinstance(base, URI):
            return None
        if not isinstance(base, str):
            raise TypeError(
                f"base must be a URI or the name of a column, not {type(base).__name__}: put columns into the frame first"
            )
        if self._places(base):
            return self.texts(base, "base")
        try:
            is_uri = _native.URL.can_parse(base) if spec == "whatwg" else _native.URI(base, spec).scheme is not None
        except ValueError:
            is_uri = False
        if not is_uri:
            raise ValueError(
                f"base={_quoted(base)} is neither a URI with a scheme nor a column: the columns are {', '.join(self.names)}"
            )
        return None

    def kept(self, keep: Keep, used: list[int]) -> list[int]:
        """The positions of the columns that pass through."""
        asked = names(keep, "keep")
        if asked == ["none"]:
            return []
        if asked == ["all"]:
            places = [place for place in range(len(self.fields)) if place not in used]
        else:
            places = [self._place(name, "to keep") for name in asked]
        for field in (self.fields[place] for place in places):
            # Types within arrays and structs count, too.
            if '"interval"' in field.dataType.json():
                kind = field.dataType.simpleString()
                raise TypeError(f"the column {_quoted(field.name)} of type {kind} has no type in Arrow: leave it out with keep")
        return places

    def free(self, kept: list[str]) -> list[str]:
        """Names for the columns that pass through: none is a name of urimill's columns, and none occurs twice."""
        own = {self._fold(name) for name in [*_native.columns(), "field_errors"]}
        taken: set[str] = set()
        told = []
        for name in kept:
            first = free = f"field_{name}" if self._fold(name) in own else name
            number = 1
            while self._fold(free) in taken | own:
                number += 1
                free = f"{first}_{number}"
            taken.add(self._fold(free))
            told.append(free)
        return told


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '\\"') + '"'
