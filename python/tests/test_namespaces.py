"""The namespaces of Polars, pandas and DuckDB give what the functions on columns give, row for row."""

from __future__ import annotations

import duckdb
import pandas
import polars
import pyarrow
import pytest

import urimill
import urimill.duckdb
import urimill.pandas
import urimill.polars
from urimill._namespace import COLUMNS

TEXTS = ["HTTP://u:p@www.Example.co.uk:81/%7Ea/./b?c=d#e", None, "http://example.com/a b", "../x?y", "", "mailto:a@b"] * 2000

#: Method, arguments, and what the functions on columns say.
METHODS = {
    "normalize": ({"level": "syntax"}, lambda data: urimill.normalize(data, level="syntax")["uri"]),
    "scheme": ({}, lambda data: urimill.normalize(data)["scheme"]),
    "host": ({"repair": True}, lambda data: urimill.normalize(data, repair=True)["host"]),
    "registered_domain": ({}, lambda data: urimill.host_parts(data)["registered_domain"]),
    "port": ({}, lambda data: urimill.normalize(data)["port"]),
    "path": ({"spec": "whatwg"}, lambda data: urimill.normalize(data, spec="whatwg")["path"]),
    "query": ({}, lambda data: urimill.normalize(data)["query"]),
    "fragment": ({}, lambda data: urimill.normalize(data)["fragment"]),
    "error": ({}, lambda data: urimill.normalize(data)["error"]),
    "fingerprint": ({}, lambda data: urimill.fingerprint(data)["fingerprint"]),
    "canonical": ({"form": "wayback"}, lambda data: urimill.canonical(data, "wayback")["canonical"]),
    "resolve": ({"base": "http://h/i/"}, lambda data: urimill.resolve(data, "http://h/i/")["target"]),
    "encode": ({"component": "path"}, lambda data: urimill.encode(data, "path")["encoded"]),
    "decode": ({"component": "path"}, lambda data: urimill.decode(data, "path")["decoded"]),
    "column": ({"name": "host_parts"}, lambda data: urimill.host_parts(data)["host_parts"]),
}


@pytest.mark.parametrize("method", METHODS)
def test_polars(method):
    arguments, call = METHODS[method]
    expected = call(TEXTS).to_pylist()
    frame = polars.DataFrame({"url": TEXTS}, schema={"url": polars.String})
    series = getattr(frame["url"].uri, method)(**arguments)
    assert (series.name, series.to_list()) == ("url", expected)
    lazy = frame.lazy().select(getattr(polars.col("url").uri, method)(**arguments))
    # The type is known before a row is read, and each engine gives the same rows.
    assert lazy.collect_schema() == {"url": series.dtype}
    for engine in ["in-memory", "streaming"]:
        assert lazy.collect(engine=engine)["url"].to_list() == expected
    chunks = polars.concat([frame, frame.head(5), frame.clear()], rechunk=False)
    assert chunks.select(getattr(polars.col("url").uri, method)(**arguments))["url"].to_list() == expected + expected[:5]
    assert getattr(frame["url"].cast(polars.Categorical).uri, method)(**arguments).to_list() == expected


@pytest.mark.parametrize("method", METHODS)
def test_pandas(method):
    arguments, call = METHODS[method]
    expected = call(TEXTS).to_pandas()
    index = pandas.Index(range(7, 7 + 3 * len(TEXTS), 3))
    series = pandas.Series(TEXTS, index=index, name="url", dtype="str")
    values = getattr(series.uri, method)(**arguments)
    assert values.name == "url" and values.index.equals(index)
    pandas.testing.assert_series_equal(values, expected.set_axis(index), check_names=False)
    part = series[series.notna()]
    assert getattr(part.uri, method)(**arguments).index.equals(part.index)


def test_several_columns():
    expected = urimill.normalize(TEXTS, columns="host,port,flags").to_pylist()
    frame = polars.DataFrame({"url": TEXTS}, schema={"url": polars.String})
    structs = polars.col("url").uri.struct("host,port,flags")
    assert frame.select(structs)["url"].to_list() == frame["url"].uri.struct("host,port,flags").to_list() == expected
    assert frame.lazy().select(structs).unnest("url").collect(engine="streaming").to_dicts() == expected
    series = pandas.Series(TEXTS[:6], index=list("abcdef"), dtype="str")
    table = series.uri.frame(["host", "port"])
    assert table.index.tolist() == list("abcdef") and table["host"].tolist()[0] == "www.Example.co.uk".lower()


def test_expressions_are_elementwise():
    frame = polars.LazyFrame({"url": ["HTTP://a/", "HTTP://b/", None], "n": [1, 2, 3]})
    hosts = polars.col("url").uri.host()
    assert frame.filter(hosts == "b").select("n").collect()["n"].to_list() == [2]
    assert frame.select(polars.col("url").uri.normalize().uri.host().alias("h")).collect()["h"].to_list() == ["a", "b", None]
    assert frame.with_columns(hosts.over("n")).collect()["url"].to_list() == ["a", "b", None]
    assert frame.select(polars.col("url").cast(polars.Binary).uri.host()).collect()["url"].to_list() == ["a", "b", None]
    assert polars.Series("none", [], polars.String).uri.host().to_list() == []
    assert polars.Series("nulls", [None, None]).uri.host().to_list() == [None, None]


def test_wrong_options_are_errors_where_the_expression_is_made():
    for namespace in [polars.col("url").uri, pandas.Series(["a:b"], dtype="str").uri, polars.Series(["a:b"]).uri]:
        with pytest.raises(ValueError, match='there is no level "all"'):
            namespace.normalize(level="all")
        with pytest.raises(TypeError, match="levle"):
            namespace.host(levle="syntax")
        for name in ["record", "source", "hosts"]:
            with pytest.raises(ValueError, match=f"there is no column '{name}' of texts: choose from uri, raw"):
                namespace.column(name)
    with pytest.raises(TypeError, match="texts cannot be read"):
        polars.Series([1]).uri.host()
    with pytest.raises(TypeError, match="texts cannot be read"):
        polars.DataFrame({"n": [1]}).select(polars.col("n").uri.host())


@pytest.fixture
def connection():
    connection = duckdb.connect(config={"threads": 2})
    urimill.duckdb.register(connection)
    connection.register("links", pyarrow.table({"n": range(len(TEXTS)), "url": TEXTS}))
    return connection


@pytest.mark.parametrize("name", [name for name in COLUMNS if name != "canonical"])
def test_duckdb(connection, name):
    function = "normalize" if name == "uri" else name
    rows = connection.execute(f"SELECT uri_{function}(url) FROM links ORDER BY n").fetchall()
    table = urimill.normalize(pyarrow.array(TEXTS), columns=name).to_pyarrow()
    assert rows == duckdb.from_arrow(table).fetchall()


def test_duckdb_resolves_and_has_options(connection):
    query = "SELECT uri_resolve(r, b) FROM (VALUES ('../c', 'http://h/a/b'), (NULL, 'http://h/'), ('a b', 'http://h/'), ('x', NULL)) t(r, b)"
    assert connection.execute(query).fetchall() == [("http://h/c",), (None,), (None,), (None,)]
    assert connection.execute("SELECT uri_host(NULL), uri_host('http://h/'), uri_host(NULL)").fetchall() == [(None, "h", None)]
    urimill.duckdb.register(connection, prefix="w_", canonical="wayback", mask_passwords=True)
    # They may be registered again, with other options.
    urimill.duckdb.register(connection, level="none")
    query = "SELECT w_canonical('http://www.h/'), w_userinfo('http://u:p@h/'), uri_normalize('HTTP://h')"
    assert connection.execute(query).fetchall() == [("http://h/", "u:***", "HTTP://h")]
    with pytest.raises(ValueError, match='there is no level "all"'):
        urimill.duckdb.register(connection, level="all")
