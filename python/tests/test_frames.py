"""Tables, columns and schemas feel like those of other packages: parts, rows, arrays, copies, pickle, notebooks."""

from __future__ import annotations

import concurrent.futures
import copy
import html
import multiprocessing
import pickle
import re

import numpy
import pandas
import pyarrow
import pytest
from test_any_column import ANY, passed

import urimill

ROWS = 20_000
TEXTS = [None if n % 7 == 3 else f"http://www{n % 100}.example.com:{n % 9}/p/{n}" for n in range(ROWS)]


@pytest.fixture(scope="module")
def table():
    return urimill.normalize(TEXTS, columns="record,uri,host,port")


SLICES = [slice(None), slice(2, 5), slice(-3, None), slice(8190, 8195), slice(5, 2), slice(30_000, None), slice(None, None, 3)]
SLICES += [slice(None, None, -1), slice(9000, 10, -777), slice(-5, None, 2), slice(5, None, -2)]


@pytest.mark.parametrize("part", SLICES, ids=str)
def test_slices_are_those_of_lists(table, part):
    expected = table["uri"].to_pylist()[part]
    assert table["uri"][part].to_pylist() == table[part]["uri"].to_pylist() == expected
    assert len(table[part]) == len(table["uri"][part]) == len(expected)
    views = urimill.normalize(pyarrow.array(TEXTS, pyarrow.string_view()), columns="uri", strings="string_view")
    assert views[part]["uri"].to_pylist() == expected


def test_parts_have_the_index_of_pandas():
    series = pandas.Series(["http://a/", "http://b/", "http://c/"], index=[5, 6, 9])
    table = urimill.normalize(series, columns="host")
    assert table[1:]["host"].to_pandas().to_dict() == {6: "b", 9: "c"}
    assert table[::-2]["host"].to_pandas().to_dict() == {9: "c", 5: "a"}
    assert table[1:][::-1]["host"].to_pandas().to_dict() == {9: "c", 6: "b"}
    again = pickle.loads(pickle.dumps(table[1:]))
    assert again["host"].to_pandas().to_dict() == {6: "b", 9: "c"} and again.to_pandas().index.tolist() == [6, 9]
    assert pickle.loads(pickle.dumps(table["host"][1:])).to_pandas().to_dict() == {6: "b", 9: "c"}


def test_names_and_values(table):
    assert table.shape == (ROWS, 4) == (len(table), len(table.columns))
    assert table.columns == table.column_names == ["record", "uri", "host", "port"]
    assert "uri" in table and "surt" not in table and 0 not in table
    assert "uri" in table.schema and "surt" not in table.schema and list(table.schema) == table.columns
    uris = table["uri"]
    assert (uris[0], uris[3], uris[-1], uris[numpy.int64(8192)]) == (TEXTS[0], None, TEXTS[-1], TEXTS[8192])
    assert TEXTS[9] in uris and "http://nowhere/" not in uris
    for row in [ROWS, -ROWS - 1]:
        with pytest.raises(IndexError, match=f"there is no row {row}: the column has {ROWS}"):
            uris[row]
    for wrong in ["0", 0.5, None]:
        with pytest.raises(TypeError):
            uris[wrong]
    with pytest.raises(ValueError, match="zero"):
        uris[::0]


def test_rows_have_names(table):
    rows = iter(table)
    assert next(rows) == {"record": 1, "uri": TEXTS[0], "host": "www0.example.com", "port": 0}
    assert [row["uri"] for row in table] == TEXTS
    assert list(urimill.normalize([])) == []
    # The row of a message is that of the table.
    times = pyarrow.array([1000] * 9000 + [1], pyarrow.timestamp("ns"))
    cut = urimill.normalize(pyarrow.table({"u": ["a:b"] * 9001, "t": times}), uri="u", columns="uri")
    for read in [lambda: list(cut), cut.to_pylist, lambda: cut["t"][9000]]:
        with pytest.raises(ValueError, match='row 9000 of the column "t" .* nanoseconds'):
            read()


def test_arrays_of_numpy(table):
    records, hosts = numpy.asarray(table["record"]), numpy.asarray(table["host"])
    assert records.dtype == numpy.int64 and records.tolist() == list(range(1, ROWS + 1))
    assert hosts.dtype == object and hosts[:4].tolist() == ["www0.example.com", "www1.example.com", "www2.example.com", None]
    assert numpy.asarray(table).shape == table.shape
    assert numpy.asarray(table["record"][:2], dtype="float32").dtype == numpy.float32
    ports = numpy.asarray(table["port"][2:4])
    assert ports[0] == 2 and numpy.isnan(ports[1])


def uris(table: urimill.Table) -> list[str | None]:
    return table["uri"].to_pylist()


def test_pickle_and_copy(table):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(table[:9000], protocol))
        assert again.schema == table.schema and again.to_pylist() == table[:9000].to_pylist()
    assert len(pickle.dumps(table[10:20])) < 10_000
    column = pickle.loads(pickle.dumps(table["host"]))
    assert (column.name, column.type, column.to_pylist()) == ("host", "Utf8", table["host"].to_pylist())
    assert pickle.loads(pickle.dumps(table.schema)) == table.schema
    for what in [table, table["uri"], table.schema, urimill.ReportState.merge([])]:
        assert copy.copy(what) is what and copy.deepcopy(what) is what
    make, (data, labels) = table[:9].__reduce__()
    for wrong in [b"garbage", data[:100], data[: len(data) // 2]]:
        with pytest.raises((ValueError, OSError)):
            make(wrong, labels)
    # A process that is started anew gets its table, and gives one back.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(uris, table[:10]).result() == TEXTS[:10]
        state = urimill.report(table[:10].to_pyarrow(), uri="uri")
        assert pool.submit(copy.copy, state).result() == state


@pytest.mark.parametrize("name", ANY)
def test_columns_of_any_type_are_pickled(name):
    column = passed(ANY[name])
    again = pickle.loads(pickle.dumps(column))
    assert again.to_pyarrow().type == column.to_pyarrow().type and again.to_pylist() == column.to_pylist()
    assert again[len(again) - 1] == again.to_pylist()[-1]
    assert name == "union" or again[::-1].to_pylist() == again.to_pylist()[::-1]


def test_html():
    texts = ["http://joe:secret@h/?<script>&x", None, *["http://h/" + "x" * 100] * 10]
    table = urimill.normalize(texts, columns="uri,host,userinfo")
    shown = table._repr_html_()
    assert "secret" not in shown and "http://joe:***@h/?&lt;script&gt;&amp;x" in shown and "<script" not in shown
    assert re.findall(r"<th>(\w+)<br><small>(\w+)</small></th>", shown) == [(n, "Utf8") for n in ["uri", "host", "userinfo"]]
    assert shown.count("<tr>") == 1 + 8 and "… 4 more rows" in shown and "12 rows, 3 columns" in shown
    column = table["uri"]._repr_html_()
    assert "secret" not in column and column.count("<tr>") == 1 + 8 and "12 rows of Utf8" in column
    odd = urimill.normalize(pyarrow.table({"u": ["a:b"], "<b>": [1]}), uri="u", columns="uri")
    assert "<b>" not in odd._repr_html_() and "<th>&lt;b&gt;</th><td>Int64</td>" in odd.schema._repr_html_()
    state = urimill.report(table.to_pyarrow(), uri="uri")
    page = re.fullmatch(r'<iframe sandbox="allow-scripts" style="[^"]*" srcdoc="([^"]*)"></iframe>', state._repr_html_())
    assert html.unescape(page[1]) == state.to_html("urimill")
