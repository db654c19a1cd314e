"""A frame of Spark has the rows that one machine makes, its other columns as they were, and wrong arguments told at once."""

from __future__ import annotations

import itertools
import pathlib

import pyarrow
import pyarrow.parquet
import pytest
from conftest import datasets, lines_of
from test_values import COLUMNS, OPTIONS, same

import urimill
import urimill.spark

pytest.importorskip("pyspark")


@pytest.fixture
def frame(spark, tmp_path):
    """Makes frames of several partitions from tables, with the number of each row in `n`."""
    folders = (tmp_path / f"frame-{number}" for number in itertools.count())

    def make(columns: dict, files: int = 3):
        table = pyarrow.table(columns)
        table = table.append_column("n", pyarrow.array(range(len(table)), pyarrow.int64()))
        folder = next(folders)
        folder.mkdir()
        size = max(1, -(-len(table) // files))
        for number in range(files):
            pyarrow.parquet.write_table(table.slice(number * size, size), folder / f"{number}.parquet")
        return spark.read.parquet(str(folder))

    return make


def rows(frame) -> pyarrow.Table:
    """The rows of a frame, in the order of its rows' numbers."""
    table = frame.toArrow().sort_by("n")
    assert table["n"].to_pylist() == list(range(len(table)))
    return table.drop_columns("n")


@pytest.mark.parametrize(("keywords", "_arguments"), OPTIONS, ids=["default", "rfc2396", "repair", "refang", "mask", "drop", "base"])
def test_datasets(keywords, _arguments, frame):
    lines = pyarrow.array([line for path in datasets() for line in [*lines_of(path), None]], pyarrow.binary())
    links = frame({"url": lines})
    expected = urimill.normalize(lines, columns=f"{COLUMNS},-record", **keywords).to_pyarrow()
    table = rows(urimill.spark.normalize(links, columns=COLUMNS, **keywords))
    assert table.column_names == expected.column_names
    assert table.to_pydict() == expected.to_pydict()


@pytest.mark.parametrize("name", ["top100.txt", "kasztp.txt", "eot2024_seedlists.txt"])
def test_corpora(name, corpora, frame, table_of_command):
    path = corpora / name
    expected = table_of_command(path, "--columns", COLUMNS)
    lines = pyarrow.array(lines_of(path), pyarrow.binary())
    same(rows(urimill.spark.normalize(frame({"url": lines}), columns=COLUMNS)), expected)


def test_bases_by_row(corpora, frame, table_of_command):
    path = corpora / "html_refs.tsv"
    options = ["--from", "tsv", "--no-quotes", "--uri-field", "2", "--base-field", "1", "--header", "no", "--keep", "none"]
    expected = table_of_command(path, *options, "--columns", COLUMNS)
    cells = [line.split(b"\t") for line in path.read_bytes().split(b"\n") if line]
    # An empty field of a list is a null.
    page, link = (pyarrow.array([row[at] or None for row in cells], pyarrow.binary()) for at in (0, 1))
    table = urimill.spark.normalize(frame({"page": page, "link": link}), "link", "page", columns=COLUMNS)
    assert table.columns[-1] == "n" and not {"page", "link"} & set(table.columns)
    same(rows(table), expected)


def test_nulls_and_texts_that_are_no_uris(frame):
    table = urimill.spark.normalize(frame({"url": ["HTTP://a/%7E", None, "", "/a b"]}), columns="uri,path,error,error_offset")
    assert rows(table).to_pylist() == [
        {"uri": "http://a/~", "path": "/~", "error": None, "error_offset": None},
        {"uri": None, "path": None, "error": None, "error_offset": None},
        {"uri": "", "path": "", "error": None, "error_offset": None},
        {"uri": "/a b", "path": None, "error": "path_invalid_char", "error_offset": 2},
    ]


def test_texts_that_are_not_utf8(spark, tmp_path, table_of_command):
    """Spark takes lines as they are for strings."""
    path = tmp_path / "list.txt"
    path.write_bytes(b"http://a/\xe9\nHTTP://b\n\xff\n")
    expected = table_of_command(path, "--columns", COLUMNS)
    lines = spark.read.text(str(path)).selectExpr("*", "monotonically_increasing_id() AS n")
    same(rows(urimill.spark.normalize(lines, "value", columns=COLUMNS)), expected)
    assert expected["error"] == ["not_utf8", None, "not_utf8"]


def test_frames_without_rows(spark):
    empty = spark.createDataFrame([], "url string, id int")
    table = urimill.spark.normalize(empty, columns="uri")
    assert (table.columns, table.count()) == (["uri", "id"], 0)
    # A column of nulls alone has no type.
    assert urimill.spark.normalize(spark.sql("SELECT null AS url"), columns="uri").collect() == [(None,)]


ANYTHING = """
    SELECT 'http://a/' AS url, id AS n, cast(id AS decimal(20, 3)) AS price, timestamp_micros(id) AS moment,
        timestamp_ntz '2024-01-01 00:00:00.000001' AS local, date '1582-10-15' AS day, array(id, null) AS list,
        map('a', id) AS map, named_struct('a', id, 'B', array(named_struct('x', null, 'y', 1.5D))) AS struct,
        cast('x' AS binary) AS bytes, id % 2 = 0 AS even, cast(id AS tinyint) AS tiny, cast(id AS float) AS real,
        CASE WHEN id = 1 THEN NULL ELSE 'x' END AS some, interval '1' day AS days, id AS `a.b c`
    FROM range(3)
"""


def test_other_columns_are_as_they_were(spark):
    df = spark.sql(ANYTHING).withMetadata("tiny", {"what": "small"})
    table = urimill.spark.normalize(df, columns="+raw,-raw")
    behind = [field for field in df.schema.fields if field.name != "url"]
    assert table.schema.fields[-len(behind) :] == behind
    assert table.schema["tiny"].metadata == {"what": "small"}
    # Spark's own functions compare them: what comes to Python has been through it.
    names = [f"`{field.name}`" for field in behind if field.name != "map"] + ["map_entries(map) AS map"]
    theirs, ours = (frame.selectExpr(*names) for frame in (df, table))
    assert theirs.exceptAll(ours).count() == 0 and ours.count() == 3


def test_passwords_in_other_columns(frame):
    links = frame({"url": ["http://joe:pw@h/"], "other": ["see http://joe:pw@a/"], "list": [["http://a:b@c/"]]})
    for options, row in [
        ({"mask_passwords": True}, ("http://joe:***@h/", "see http://joe:***@a/", ["http://a:***@c/"])),
        ({"drop_userinfo": True}, ("http://h/", "see http://a/", ["http://c/"])),
        ({}, ("http://joe:pw@h/", "see http://joe:pw@a/", ["http://a:b@c/"])),
    ]:
        table = urimill.spark.normalize(links, columns="uri", **options)
        assert table.select("uri", "other", "list").collect() == [row], options
        assert links.select(urimill.spark.udf("uri", **options)("url")).first() == (row[0],)


def test_keep(frame):
    links = frame({"url": ["a:b"], "x": [1], "y": [2]})
    told = lambda **keywords: urimill.spark.normalize(links, columns="uri", **keywords).columns  # noqa: E731
    assert told() == ["uri", "x", "y", "n"]
    assert told(keep="none") == ["uri"]
    assert told(keep=["y", "url"]) == ["uri", "y", "url"]
    assert told(keep="y, x") == ["uri", "y", "x"]
    assert urimill.spark.normalize(links, columns="uri", keep="url").first() == ("a:b", "a:b")


def test_names_are_those_of_the_bulk_call(frame):
    links = {"url": ["a:b"], "uri": ["1"], "host": ["2"], "field_host": ["3"], "offset": [4], "field_errors": [5]}
    bulk = urimill.normalize(pyarrow.table(links), uri="url", columns="uri,host")
    table = urimill.spark.normalize(frame(links), columns="uri,host")
    assert table.columns == [*bulk.column_names, "n"]
    assert rows(table).to_pydict() == bulk.to_pydict()


def test_names_in_upper_and_lower_case(spark):
    df = spark.sql("SELECT 'a:b' AS Url, 'x' AS HOST")
    table = urimill.spark.normalize(df, "url", columns="host,scheme")
    assert table.columns == ["host", "scheme", "field_HOST"]
    assert table.select("Host", "field_host").first() == (None, "x")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert urimill.spark.normalize(df, "Url", columns="host").columns == ["host", "HOST"]
        with pytest.raises(ValueError, match='no column "url" for uri: choose from Url, HOST'):
            urimill.spark.normalize(df, "url")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_names_that_stand_twice(spark):
    df = spark.sql("SELECT 'a:b' AS url, 1 AS x, 2 AS x")
    table = urimill.spark.normalize(df, columns="uri")
    assert (table.columns, table.first()) == (["uri", "x", "x_2"], ("a:b", 1, 2))
    with pytest.raises(ValueError, match='2 columns "x"'):
        urimill.spark.normalize(df, columns="uri", keep="x")


def test_the_schema_takes_no_job(spark):
    tracker = spark.sparkContext.statusTracker()
    before = tracker.getJobIdsForGroup()
    df = urimill.spark.normalize(spark.range(10).selectExpr("concat('http://h/', id) AS url"), columns="+query_params")
    types = {field.name: field.dataType.simpleString() for field in df.schema}
    assert tracker.getJobIdsForGroup() == before
    assert types["flags"] == types["port"] == "int" and types["raw_bytes"] == "binary"
    assert types["query_params"] == "array<struct<key:string,value:string>>"
    assert all(field.nullable for field in df.schema)


def test_streams(spark, tmp_path):
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "a.txt").write_text("HTTP://a\n/a b\n")
    stream = urimill.spark.normalize(spark.readStream.text(str(tmp_path / "lines")), "value", columns="uri,error")
    query = stream.writeStream.format("memory").queryName("normalized").trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert spark.table("normalized").collect() == [("http://a/", None), ("/a b", "path_invalid_char")]


def test_types_that_arrow_lacks(spark):
    df = spark.sql("SELECT 'a:b' AS url, array(make_interval(1)) AS i, 1 AS x")
    with pytest.raises(TypeError, match='"i" of type array<interval> has no type in Arrow'):
        urimill.spark.normalize(df)
    assert urimill.spark.normalize(df, columns="uri", keep="x").first() == ("a:b", 1)


WRONG = [
    (lambda df: urimill.spark.normalize([1], "a"), TypeError, "df is a list: give a DataFrame"),
    (lambda df: urimill.spark.normalize(df), ValueError, 'no column "url" for uri: choose from a, b, n'),
    (lambda df: urimill.spark.normalize(df, 3), TypeError, "not int"),
    (lambda df: urimill.spark.normalize(df, "n"), TypeError, '"n" of type bigint: give string or binary'),
    (lambda df: urimill.spark.normalize(df, "a", "n"), TypeError, '"n" of type bigint'),
    (lambda df: urimill.spark.normalize(df, "a", "z"), ValueError, "neither a URI with a scheme nor a column.* a, b, n"),
    (lambda df: urimill.spark.normalize(df, "a", ["b"]), TypeError, "base must be a URI or the name of a column, not list"),
    (lambda df: urimill.spark.normalize(df, "a", keep="z"), ValueError, '"z" to keep: choose from a, b, n'),
    (lambda df: urimill.spark.normalize(df, "a", columns="uri,hots"), ValueError, '"hots".*choose from record, uri'),
    (lambda df: urimill.spark.normalize(df, "a", columns=3), TypeError, "columns must be a str or a list of str, not int"),
    (lambda df: urimill.spark.normalize(df, "a", columns=""), ValueError, "at least one column"),
    (lambda df: urimill.spark.normalize(df, "a", columns=["record"]), ValueError, "monotonically_increasing_id"),
    (lambda df: urimill.spark.normalize(df, "a", columns="+source"), ValueError, "source is about files"),
    (lambda df: urimill.spark.normalize(df, "a", level="all"), ValueError, '"all": use none, case'),
    (lambda df: urimill.spark.normalize(df, "a", spec="rfc1808"), ValueError, '"rfc1808": use rfc3986'),
    (lambda df: urimill.spark.normalize(df, "a", repair="yes"), TypeError, "repair must be True or False, not str"),
    (lambda df: urimill.spark.normalize(df, "a", compat=True), ValueError, "there is no base"),
    (lambda df: urimill.spark.normalize(df, "a", drop_tracking=True), ValueError, "give canonical too"),
    (lambda df: urimill.spark.normalize(df, "a", canonical="w3lib", drop_params=5), TypeError, "drop_params must be a str or a list"),
    (lambda df: urimill.spark.normalize(df, "a", threads=0), ValueError, "threads is 0"),
    (lambda df: urimill.spark.normalize(df, "a", psl="/no/such", columns="registered_domain"), FileNotFoundError, "/no/such"),
    (lambda df: urimill.spark.normalize(df, "a", levle="case"), TypeError, "levle"),
    (lambda df: urimill.spark.udf("uri,hots"), ValueError, '"hots".*choose from'),
    (lambda df: urimill.spark.udf("record"), ValueError, "monotonically_increasing_id"),
    (lambda df: urimill.spark.udf(base="/b"), ValueError, "has no scheme"),
    (lambda df: urimill.spark.udf(base=7), TypeError, "base must be a URI, or True"),
    (lambda df: urimill.spark.udf(compat=True), ValueError, "there is no base"),
    (lambda df: urimill.spark.read(df.sparkSession, []), ValueError, "there are no inputs"),
    (lambda df: urimill.spark.read(df.sparkSession, "/no/such/*.log"), FileNotFoundError, "/no/such"),
    (lambda df: urimill.spark.read(df.sparkSession, "s3://bucket/x"), ValueError, "give filesystem"),
    (lambda df: urimill.spark.read(df.sparkSession, "/dev/null", "cvs"), ValueError, "format.*use one of lines"),
    (lambda df: urimill.spark.read(df.sparkSession, "/dev/null", "parquet"), ValueError, "Spark reads tables itself"),
    (lambda df: urimill.spark.read(df.sparkSession, "/dev/null", sort_by="uri"), ValueError, "sort the frame"),
    (lambda df: urimill.spark.read(df.sparkSession, "/dev/null", partitions=0), ValueError, "partitions is 0"),
    (lambda df: urimill.spark.read(df.sparkSession, "/dev/null", levle="case"), TypeError, "levle"),
]


@pytest.fixture(scope="module")
def plain(spark):
    return spark.createDataFrame([("x:y", "/c", 1)], "a string, b string, n bigint")


@pytest.mark.parametrize("row", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_wrong_arguments(row, plain):
    """Told where the call is: no job has run."""
    call, kind, sentence = row
    with pytest.raises(kind, match=sentence):
        call(plain)


def test_the_suffix_list_goes_along(spark, tmp_path):
    """Executors need not have the file."""
    path: pathlib.Path = tmp_path / "list.dat"
    path.write_text("// ===BEGIN ICANN DOMAINS===\nexample\n// ===END ICANN DOMAINS===\n")
    df = spark.sql("SELECT 'http://a.b.example/' AS url")
    table = urimill.spark.normalize(df, columns="registered_domain", psl=path)
    path.unlink()
    assert table.first() == ("b.example",)


def test_executors_with_another_version(spark):
    from dataclasses import replace

    from urimill.spark._work import Rows

    work = Rows((("columns", "uri"),), uri=0, base=None, kept=(), names=("uri",))
    with pytest.raises(RuntimeError, match="the driver has urimill 0.0.0 and this executor has"):
        list(replace(work, version="0.0.0")(iter([])))
