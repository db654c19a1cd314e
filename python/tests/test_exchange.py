"""Columns of every package, in every type that strings have, go in and come out as what they are."""

from __future__ import annotations

import duckdb
import nanoarrow
import numpy
import pandas
import polars
import pyarrow
import pytest

import urimill

TEXTS = ["HTTP://example.com:80/%7Ea", None, "", "/a b", "urn:x:é", "http://[::1]:8080/?q#f" + "x" * 40]
URIS = ["http://example.com/~a", None, "", "/a b", "urn:x:é", "http://[::1]:8080/?q#f" + "x" * 40]
ERRORS = [None, None, None, "path_invalid_char", "path_invalid_char", None]

TYPES = [
    pyarrow.string(),
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.binary(),
    pyarrow.large_binary(),
    pyarrow.binary_view(),
    pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    pyarrow.dictionary(pyarrow.int32(), pyarrow.large_binary()),
]


def of_type(type_: pyarrow.DataType, texts=TEXTS) -> pyarrow.Array:
    array = pyarrow.array(texts, pyarrow.string())
    if pyarrow.types.is_dictionary(type_):
        return array.cast(type_.value_type).dictionary_encode().cast(type_)
    if type_ == pyarrow.binary_view():
        return pyarrow.array([None if text is None else text.encode() for text in texts], type_)
    return array.cast(type_)


def check(table, uris=URIS, errors=ERRORS) -> None:
    assert isinstance(table, urimill.Table)
    assert table["uri"].to_pylist() == uris
    assert table["error"].to_pylist() == errors
    assert table["record"].to_pylist() == list(range(1, len(uris) + 1))


@pytest.mark.parametrize("type_", TYPES, ids=str)
class TestTypes:
    def test_array(self, type_):
        check(urimill.normalize(of_type(type_)))

    def test_slice(self, type_):
        longer = of_type(type_, ["x:y", "é", *TEXTS, None, "z"])
        check(urimill.normalize(longer.slice(2, len(TEXTS))))

    def test_chunks(self, type_):
        whole = of_type(type_)
        chunks = pyarrow.chunked_array([whole.slice(0, 1), whole.slice(1, 0), whole.slice(1, 3), whole.slice(4)])
        check(urimill.normalize(chunks))

    def test_table(self, type_):
        table = pyarrow.table({"n": range(len(TEXTS)), "link": of_type(type_), "host": of_type(type_)})
        result = urimill.normalize(table, uri="link")
        check(result)
        # A column with a name of urimill's is renamed; both keep value and type.
        assert result.column_names[-2:] == ["n", "field_host"]
        assert result["n"].to_pylist() == list(range(len(TEXTS)))
        assert result.to_pyarrow()["field_host"].combine_chunks().equals(of_type(type_))

    def test_empty(self, type_):
        check(urimill.normalize(of_type(type_, [])), [], [])
        empty = pyarrow.chunked_array([], type_)
        check(urimill.normalize(empty), [], [])


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("rows", [0, 1, 16_383, 16_385, 100_001])
def test_slices_are_in_order(rows, threads):
    texts = [f"HTTP://h{number}/" if number % 7 else None for number in range(rows)]
    table = urimill.normalize(pyarrow.array(texts, pyarrow.string()), threads=threads, columns="record,uri")
    assert table["record"].to_pylist() == list(range(1, rows + 1))
    assert table["uri"].to_pylist() == [text and text.lower() for text in texts]


class TestPackages:
    def test_polars(self):
        series = polars.Series("link", TEXTS)
        check(urimill.normalize(series))
        frame = polars.DataFrame({"link": series, "n": range(len(TEXTS))})
        result = urimill.normalize(frame, uri="link").to_polars()
        assert isinstance(result, polars.DataFrame)
        assert result["uri"].to_list() == URIS and result["n"].to_list() == list(range(len(TEXTS)))
        assert polars.Series(urimill.normalize(series)["host"]).to_list()[0] == "example.com"
        check(urimill.normalize(series.cast(polars.Categorical)))

    @pytest.mark.parametrize("dtype", [object, "string[pyarrow]", "str", "category"], ids=str)
    def test_pandas(self, dtype):
        series = pandas.Series(TEXTS, dtype=dtype, name="link")
        check(urimill.normalize(series))
        frame = pandas.DataFrame({"link": series, "n": range(len(TEXTS))})
        result = urimill.normalize(frame, uri="link").to_pandas()
        assert isinstance(result, pandas.DataFrame)
        assert list(result["n"]) == list(range(len(TEXTS)))
        assert result["uri"][0] == URIS[0] and result["uri"].isna().tolist() == [uri is None for uri in URIS]

    def test_pandas_slices(self):
        series = pandas.Series(["x:y", *TEXTS, "z"])[1:-1]
        check(urimill.normalize(series))

    def test_duckdb(self):
        links = pyarrow.table({"link": TEXTS, "n": range(len(TEXTS))})
        connection = duckdb.connect()
        connection.register("links", links)
        relation = connection.sql("SELECT link, n FROM links ORDER BY n")
        result = urimill.normalize(relation, uri="link", stream=False)
        check(result)
        hosts = connection.sql("SELECT host, count(*) FROM result WHERE error IS NULL GROUP BY 1 ORDER BY 1")
        assert hosts.fetchall() == [("[::1]", 1), ("example.com", 1), (None, 2)]

    def test_nanoarrow(self):
        check(urimill.normalize(nanoarrow.Array(TEXTS, nanoarrow.string())))
        table = urimill.normalize(TEXTS, columns="uri,port")
        assert nanoarrow.Array(table["uri"]).to_pylist() == URIS
        assert nanoarrow.ArrayStream(table).read_all().to_pylist()[-1] == {"uri": URIS[-1], "port": 8080}

    def test_numpy(self):
        check(urimill.normalize(numpy.array(TEXTS, dtype=object)))

    def test_own_tables(self):
        once = urimill.normalize(TEXTS)
        check(urimill.normalize(once["uri"]))
        check(urimill.normalize(once, uri="uri", keep="none"))
        kept = urimill.normalize(once, uri="uri", keep=["raw", "port"])
        assert kept.column_names[-2:] == ["field_raw", "field_port"]

    def test_iterables(self):
        check(urimill.normalize(TEXTS))
        check(urimill.normalize(tuple(TEXTS)))
        check(urimill.normalize(text for text in TEXTS))
        check(urimill.normalize([text if text is None else text.encode() for text in TEXTS]))
        nan = [float("nan") if text is None else text for text in TEXTS]
        check(urimill.normalize(nan))
        check(urimill.normalize([pandas.NA if text is None else text for text in TEXTS]))

    def test_texts_outside_unicode(self):
        table = urimill.normalize(["http://h/\udc80", b"http://h/\xff"])
        assert table["error"].to_pylist() == ["not_utf8", "not_utf8"]


@pytest.mark.parametrize(
    ("strings", "texts", "data"),
    [
        ("string", pyarrow.string(), pyarrow.binary()),
        ("large_string", pyarrow.large_string(), pyarrow.large_binary()),
        ("string_view", pyarrow.string_view(), pyarrow.binary_view()),
    ],
)
def test_types_of_strings(strings, texts, data):
    columns = "+raw_bytes,+host_parts,+query_params"
    table = urimill.normalize(["http://example.com/?a=b"], columns=columns, strings=strings).to_pyarrow()
    table.validate(full=True)
    types = {field.name: field.type for field in table.schema}
    assert types["uri"] == types["error"] == texts
    assert types["raw_bytes"] == data
    assert types["host_parts"] == pyarrow.list_(pyarrow.field("element", texts, False))
    assert types["port"] == pyarrow.int32() and types["record"] == pyarrow.int64()
    assert table["query_params"].to_pylist() == [[{"key": "a", "value": "b"}]]
    assert urimill.schema(columns=columns, strings=strings).to_pyarrow() == table.schema


def test_tables_are_what_pyarrow_makes_of_them():
    table = urimill.normalize(TEXTS, columns="+host_parts,+query_params,+raw_bytes,+fingerprint")
    arrow = table.to_pyarrow()
    arrow.validate(full=True)
    assert table.to_pylist() == arrow.to_pylist()
    assert table.to_pydict() == arrow.to_pydict()
    assert len(table) == table.num_rows == arrow.num_rows
    assert table.num_columns == arrow.num_columns
    assert table.slice(2, 3).to_pyarrow() == arrow.slice(2, 3)
    assert table.head(2).to_pyarrow() == arrow.slice(0, 2)
    assert table.slice(99).num_rows == 0
    assert pyarrow.schema(table.schema) == arrow.schema
    assert table[-1].name == "fingerprint" and table[0].type == "Int64"
    assert table["error"].null_count == arrow["error"].null_count


def test_keep():
    table = pyarrow.table({"u": ["a:b"], "x,y": [1], "z": [2], "all": [3]})
    kept = lambda keep: urimill.normalize(table, uri="u", columns="uri", keep=keep).column_names[1:]  # noqa: E731
    assert kept("all") == ["x,y", "z", "all"] and kept("none") == []
    assert kept(["z", "x,y"]) == ["z", "x,y"] and kept("all, z") == ["all", "z"] and kept([]) == []
    assert kept(["u"]) == ["u"]


def test_other_columns_keep_any_type():
    days = pyarrow.array([0, None, 20000], pyarrow.date32())
    nested = pyarrow.array([[{"a": 1}], None, []])
    prices = pyarrow.array([1, 2, None]).cast(pyarrow.decimal128(21, 2))
    table = pyarrow.table({"u": ["a:b"] * 3, "day": days, "nested": nested, "price": prices})
    result = urimill.normalize(table, uri="u", columns="uri")
    assert result.to_pyarrow().select(["day", "nested", "price"]) == table.select(["day", "nested", "price"])
    assert result["day"].to_pylist() == days.to_pylist()


def reader_of(table, fields):
    asked = pyarrow.schema(fields).__arrow_c_schema__()
    return pyarrow.RecordBatchReader._import_from_c_capsule(table.__arrow_c_stream__(asked))


def test_readers_may_ask_for_a_type():
    table = urimill.normalize(TEXTS, columns="uri")
    asked = pyarrow.schema([("uri", pyarrow.large_string())])
    reader = pyarrow.RecordBatchReader.from_stream(table, schema=asked)
    assert reader.read_all().schema == asked
    assert reader_of(table, [("uri", pyarrow.string_view())]).read_all()["uri"].to_pylist() == URIS
    assert pyarrow.chunked_array(table["uri"], type=pyarrow.large_string()).type == pyarrow.large_string()
    # A requested type that cannot hold the values is ignored.
    for other in [[("uri", pyarrow.int64())], [("url", pyarrow.large_string())], []]:
        assert reader_of(table, other).read_all()["uri"].to_pylist() == URIS


def test_repr():
    table = urimill.normalize(["http://example.com/\x1b[31m"] + ["http://h/"] * 20)
    shown = repr(table)
    assert shown.startswith("urimill.Table: 21 rows, 15 columns\n")
    assert "\x1b" not in shown and "… 13 more rows" in shown
    assert all(len(line) <= 160 for line in shown.splitlines()[:-1])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("strings", [None, "large_string", "string_view"])
def test_bytes_are_the_lines_of_a_file(tmp_path, threads, strings):
    text = b"\xef\xbb\xbfHTTP://a/\r\n\n/a b\n" + b"".join(b"http://h%d/\xff%d\n" % (n % 7, n) for n in range(40_000)) + b"last"
    file = tmp_path / "list.txt"
    file.write_bytes(text)
    options = {"strings": strings or "string", "base": "http://x/", "mask_passwords": True}
    with urimill.read(file, "lines", columns="+host_parts,-source,-offset", **options) as stream:
        expected = stream.read_all()
    table = urimill.normalize(text, columns="+host_parts", threads=threads, **{**options, "strings": strings})
    assert table.to_pydict() == expected.to_pydict()
    assert table["record"].to_pylist()[:3] == [1, 3, 4] and len(table) == 40_003
    assert table.schema == urimill.schema(columns="+host_parts", strings=strings or "string")
    assert urimill.normalize(text, stream=True).read_all()["uri"].to_pylist()[-1] == "last"
    for wrong, sentence in [({"base": ["a:b"]}, "base is a column, and lines"), ({"uri": "x"}, "one column without others")]:
        with pytest.raises(ValueError, match=sentence):
            urimill.normalize(text, **wrong)
