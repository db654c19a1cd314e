"""Rows from pandas have their index again when they go back there."""

from __future__ import annotations

import pandas
import pytest

import urimill

WEB = pandas.DataFrame({"url": ["http://a/", "http://b/", "http://c/", "http://d/"], "n": [1, 2, 3, 4]})


def test_a_column_fits_a_filtered_frame():
    some = WEB[WEB["n"] != 2].copy()
    some["host"] = urimill.normalize(some["url"])["host"].to_pandas()
    assert some["host"].tolist() == ["a", "c", "d"]
    backwards = WEB.iloc[::-1].copy()
    backwards["host"] = urimill.normalize(backwards["url"])["host"].to_pandas()
    assert backwards["host"].tolist() == ["d", "c", "b", "a"]


INDEXES = [
    pandas.RangeIndex(4),
    pandas.RangeIndex(10, 2, -2),
    pandas.Index([7, 3, 5, 7]),
    pandas.Index(["w", "x", "y", "z"], name="n"),
    pandas.Index(["w", "x", "y", "z"], name="host"),
    pandas.date_range("2026-01-01", periods=4),
    pandas.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a"), (2, "b")], names=[None, "letter"]),
]


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: f"{type(index).__name__} {index.name}")
def test_an_index_comes_back(index):
    series = pandas.Series(WEB["url"].tolist(), index=index, name="url")
    table = urimill.normalize(series, columns="host,path")
    for got in [table.to_pandas(), table["host"].to_pandas(), urimill.normalize(series, stream=True).to_pandas()]:
        assert got.index.equals(index) and got.index.names == index.names
    assert table.slice(1, 2).to_pandas().index.equals(index[1:3])
    assert table.slice(1, 2)["host"].to_pandas().index.equals(index[1:3])
    # Of a frame the index is no column besides.
    frame = pandas.DataFrame({"url": series, "value": [1, 2, 3, 4]})
    for keep in ["all", "none", "value"]:
        got = urimill.normalize(frame, uri="url", columns="host", keep=keep).to_pandas()
        assert got.index.equals(index) and got.index.names == index.names
        assert got.columns.tolist() == ["host"] + (["value"] if keep != "none" else [])
        assert got["host"].tolist() == ["a", "b", "c", "d"]
    # A table of a table has it, too, and each part of a stream its own.
    assert urimill.normalize(table["host"]).to_pandas().index.equals(index)
    stream = urimill.normalize(urimill.normalize(series, stream=True), uri="uri")
    assert next(stream).to_pandas().index.equals(index)


def test_other_data_has_the_index_of_its_rows():
    for table in [urimill.normalize(WEB["url"].tolist()), urimill.extract(WEB["url"][2:])]:
        assert table.to_pandas().index.equals(pandas.RangeIndex(len(table)))


def test_rows_belong_together_by_their_order():
    pages = pandas.Series(["http://p/1", "http://q/1"], index=[5, 6])
    links = pandas.Series(["x", "y"], index=[6, 5])
    assert urimill.normalize(links, base=pages)["uri"].to_pandas().to_dict() == {6: "http://p/x", 5: "http://q/y"}
