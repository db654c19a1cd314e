"""Columns that pass through may be of any type: they come out as they are, or are refused by name."""

from __future__ import annotations

import datetime

import polars
import pyarrow
import pytest

import urimill


def passed(column: pyarrow.Array) -> urimill.Column:
    table = pyarrow.table({"u": ["a:b"] * len(column), "value": column})
    return urimill.normalize(table, uri="u", columns="uri")["value"]


NESTED = [[1], None, [2, 3]]
#: Columns whose values are those that pyarrow gives.
ANY = {
    "interval": pyarrow.array([(1, 2, 3), None], pyarrow.month_day_nano_interval()),
    "intervals": pyarrow.array([[(1, 2, 3)], None], pyarrow.list_(pyarrow.month_day_nano_interval())),
    "runs": pyarrow.RunEndEncodedArray.from_arrays([2, 3, 5], ["a", None, "b"]),
    "short runs": pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([2, 3], pyarrow.int16()), [1, 2]),
    "list views": pyarrow.array(NESTED, pyarrow.list_view(pyarrow.int64())),
    "large list views": pyarrow.array(NESTED, pyarrow.large_list_view(pyarrow.int64())),
    "large lists": pyarrow.array(NESTED, pyarrow.large_list(pyarrow.int64())),
    "lists of two": pyarrow.array([[1, 2], None], pyarrow.list_(pyarrow.int64(), 2)),
    "structs": pyarrow.array([{"a": [1], "b": None}, None]),
    "maps": pyarrow.array([[("a", 1), ("b", None)], None], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    "dictionary": pyarrow.DictionaryArray.from_arrays([0, None, 1], ["x", None]),
    "union": pyarrow.UnionArray.from_sparse(pyarrow.array([0, 1], pyarrow.int8()), [pyarrow.array([1, 2]), pyarrow.array(["x", "y"])]),
    "times": pyarrow.array([1_500_000_000_000_000_000, None], pyarrow.timestamp("ns", "UTC")),
    "last second": pyarrow.array([253402300799], pyarrow.timestamp("s")),
    "days": pyarrow.array([-719162, None, 2932896], pyarrow.date32()),
    "time of day": pyarrow.array([1_000, None], pyarrow.time64("ns")),
    "numbers": pyarrow.array([2**64 - 1, None], pyarrow.uint64()),
    "nulls": pyarrow.nulls(2),
}


@pytest.mark.parametrize("name", ANY)
def test_values(name):
    column = passed(ANY[name])
    expected = [value.to_pydatetime() if hasattr(value, "to_pydatetime") else value for value in ANY[name].to_pylist()]
    assert column.to_pylist() == list(column) == expected
    table = urimill.normalize(pyarrow.table({"u": ["a:b"], "value": ANY[name][:1]}), uri="u", columns="uri")
    assert table.to_pylist() == [{"uri": "a:b", "value": expected[0]}]
    assert table.to_pydict()["value"] == expected[:1]
    assert "value" in repr(table)


def test_intervals_have_names():
    value = passed(ANY["interval"]).to_pylist()[0]
    assert (value.months, value.days, value.nanoseconds) == (1, 2, 3)
    days = polars.Series([datetime.timedelta(days=1)])
    assert urimill.normalize(polars.DataFrame({"u": ["a:b"], "d": days}), uri="u")["d"].to_pylist() == days.to_list()


#: Values that Python's classes cannot hold, in the row after one that they can.
TOO_MUCH = {
    "nanoseconds": (pyarrow.array([1000, 1], pyarrow.timestamp("ns")), "nanoseconds"),
    "nanoseconds somewhere": (pyarrow.array([1000, 1], pyarrow.timestamp("ns", "Europe/Berlin")), "nanoseconds"),
    "nanoseconds of a day": (pyarrow.array([1000, 1], pyarrow.time64("ns")), "nanoseconds"),
    "short": (pyarrow.array([1000, 1], pyarrow.duration("ns")), "nanoseconds"),
    "in a list": (pyarrow.array([[1000], [1]], pyarrow.list_(pyarrow.timestamp("ns"))), "nanoseconds"),
    "the year 10,000": (pyarrow.array([0, 253402300800], pyarrow.timestamp("s")), "range"),
    "the year 0": (pyarrow.array([0, -719163], pyarrow.date32()), "range"),
    "far": (pyarrow.array([0, 10**17], pyarrow.timestamp("s", "UTC")), "range"),
    "long": (pyarrow.array([0, 10**17], pyarrow.duration("s")), "range"),
    "far in a struct": (pyarrow.array([{"a": 0}, {"a": 10**17}], pyarrow.struct([("a", pyarrow.timestamp("s"))])), "range"),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_no_value_is_cut(name):
    values, reason = TOO_MUCH[name]
    column = passed(values)
    for read in [column.to_pylist, lambda: list(column)]:
        with pytest.raises(ValueError, match=f'row 1 of the column "value" .*{reason}.*to_pyarrow'):
            read()
    assert column.to_pyarrow().combine_chunks().equals(values)
    assert passed(values[:1]).to_pylist() == [value for value in values[:1].cast(values.type).to_pylist()]


FOREIGN = {
    "Int128": polars.Series([1], dtype=polars.Int128),
    "UInt128": polars.Series([1], dtype=polars.UInt128),
    "List(Null)": polars.Series([[None]]),
    "Struct": polars.Series([{"a": None}]),
    "Object": polars.Series([object()], dtype=polars.Object),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_columns_without_a_type_in_arrow(name):
    frame = polars.DataFrame({"no": FOREIGN[name], "u": ["HTTP://a/"], "n": [7]})
    # Those that nobody asked for are not read.
    for keep, rows in [("none", [("http://a/",)]), ("n", [("http://a/", 7)])]:
        assert urimill.normalize(frame, uri="u", columns="uri", keep=keep).to_polars().rows() == rows
    assert len(urimill.report(frame.select("no", "u"), uri="u").to_bytes()) > 0
    for keep in ["all", "no"]:
        with pytest.raises(TypeError, match='the column "no" of type .* has no type in Arrow: leave it out with keep'):
            urimill.normalize(frame, uri="u", keep=keep)
    with pytest.raises(TypeError, match='texts cannot be read from the column "no"'):
        urimill.normalize(frame, uri="no")
    with pytest.raises(TypeError, match="texts cannot be read from the column"):
        urimill.normalize(FOREIGN[name])


def test_null_columns_of_polars():
    frame = polars.DataFrame({"before": [None, None], "u": ["HTTP://a/", "b"], "behind": [None, None], "n": [1, 2]})
    assert frame.schema["before"] == polars.Null
    table = urimill.normalize(frame, uri="u", columns="uri").to_polars()
    assert table.rows() == [("http://a/", None, None, 1), ("b", None, None, 2)]
    assert table.schema["before"] == polars.Null
    nulls = urimill.normalize(frame, uri="before", columns="uri", keep="n")
    assert nulls.to_pylist() == [{"uri": None, "n": 1}, {"uri": None, "n": 2}]
    assert urimill.normalize(frame["before"])["uri"].to_pylist() == [None, None]
    assert urimill.normalize(frame.select("before"))["uri"].to_pylist() == [None, None]
    assert urimill.normalize(frame["u"], base=frame["before"])["error"].to_pylist() == [None, "base_not_absolute"]
    chunks = polars.concat([frame, frame], rechunk=False)
    assert len(urimill.normalize(chunks, uri="u")) == 4 and len(urimill.normalize(frame.head(0), uri="u")) == 0


def test_lazy_frames_have_no_rows():
    with pytest.raises(TypeError, match=r"data is a LazyFrame, which has no rows yet: give data.collect\(\)"):
        urimill.normalize(polars.LazyFrame({"u": ["a:b"]}), uri="u")
