"""A program that uses every public function, method and property, as type checkers see it; `test_types` checks and runs it."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

import numpy
import pandas
import polars
from typing_extensions import assert_type

import urimill
import urimill.duckdb
import urimill.pandas
import urimill.polars
from urimill import URI, URL, Column, Lookup, RejectError, ReportState, Schema, Stream, Table

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import DataFrame, SparkSession


def columns() -> Table:
    texts = ["http://www.example.com/a?b#c", None, b"/d"]
    frame = polars.DataFrame({"url": ["http://a/b"], "page": ["http://c/"], "n": [1]})
    series = pandas.Series(["http://a/b"], dtype="str")
    table = assert_type(urimill.normalize(texts, columns="+surt,-raw", level="syntax", mask_passwords=True), Table)
    assert_type(urimill.normalize(frame, uri="url", base="page", keep=["n"], strings="string_view"), Table)
    assert_type(urimill.normalize(frame["url"], base=frame["page"], threads=2), Table)
    assert_type(urimill.normalize(pandas.DataFrame({"url": series}), uri="url"), Table)
    assert_type(urimill.normalize(b"http://a/\nhttp://b/\n"), Table)
    assert_type(urimill.normalize(table, uri="uri"), Table)
    assert_type(urimill.normalize(table["uri"]), Table)
    assert_type(urimill.normalize(texts, stream=True), Stream)
    assert_type(urimill.normalize(urimill.normalize(texts, stream=True), uri="uri"), Stream)
    assert_type(urimill.normalize(urimill.normalize(texts, stream=True), uri="uri", stream=False), Table)
    either: bool = len(texts) > 5
    assert_type(urimill.normalize(texts, stream=either), "Table | Stream")
    assert_type(urimill.canonical(texts, "wayback", drop_params=["sid"]), Table)
    assert_type(urimill.host_parts(texts, psl_unlisted=True), Table)
    assert_type(urimill.fingerprint(texts, level="scheme"), Table)
    names = "uri,scheme_end,host_start,host_end,path_start,path_end,query_end"
    positions = urimill.normalize(texts, columns=names)
    assert_type(urimill.components(positions, keep="none", strings="string_view"), Table)
    assert_type(urimill.components(positions, stream=True), Stream)
    assert_type(urimill.resolve(["../c"], "http://a/b/", compat=True), Table)
    assert_type(urimill.resolve(["../c"], URI("http://a/b/"), stream=True), Stream)
    assert_type(urimill.relativize(["http://a/c"], "http://a/b/"), Table)
    assert_type(urimill.compare(["http://a"], ["HTTP://a"], level="syntax"), Table)
    assert_type(urimill.compare(frame, "page", uri="url", ignore_fragments=True), Table)
    assert_type(urimill.extract("see http://a/b"), Table)
    assert_type(urimill.encode("a b", "path"), str)
    assert_type(urimill.encode(b"a b"), str)
    assert_type(urimill.encode(["a b"], "query-value", keep_triplets=True), Table)
    assert_type(urimill.encode(["a b"], stream=True), Stream)
    assert_type(urimill.decode("a%20b"), str)
    assert_type(urimill.decode(b"a%20b", lenient=True), bytes)
    assert_type(urimill.decode(["a%20b"]), Table)
    assert_type(urimill.schema(columns=["uri"], strings="large_string"), Schema)
    assert_type(urimill.flag_names(urimill.FLAGS["has_userinfo"]), "list[str]")
    assert_type(urimill.explain("http://a b"), "dict[str, Any]")
    assert_type((urimill.COLUMNS["uri"], urimill.CODES["path_invalid_char"], urimill.__version__), "tuple[str, str, str]")
    return table


def results(table: Table) -> None:
    assert_type((table.shape, table.num_rows, table.num_columns, len(table)), "tuple[tuple[int, int], int, int, int]")
    assert_type((table.columns, table.column_names), "tuple[list[str], list[str]]")
    assert_type((table["uri"], table[0], table.column("uri")), "tuple[Column, Column, Column]")
    assert_type((table[1:], table.slice(1, 1), table.head(2)), "tuple[Table, Table, Table]")
    assert_type([row["uri"] for row in table], "list[Any]")
    assert_type(table.to_pylist(), "list[dict[str, Any]]")
    assert_type(table.to_pydict(), "dict[str, list[Any]]")
    assert_type(table.to_polars(), polars.DataFrame)
    assert_type(table.to_pandas(), pandas.DataFrame)
    assert_type("uri" in table and "uri" in table.schema, bool)
    table.to_pyarrow(), numpy.asarray(table), polars.DataFrame(table)
    column: Column = table["uri"]
    assert_type((column.name, column.type, column.null_count, len(column)), "tuple[str, str, int, int]")
    assert_type(column[:1], Column)
    assert_type((column[0], list(column), column.to_pylist()), "tuple[Any, list[Any], list[Any]]")
    assert_type(column.to_polars(), polars.Series)
    host: pandas.Series[str] = column.to_pandas()
    column.to_pyarrow(), host.name, numpy.asarray(column)
    schema: Schema = table.schema
    assert_type((schema.names, schema.types, len(schema), list(schema)), "tuple[list[str], list[str], int, list[str]]")
    schema.to_pyarrow()


def streams() -> None:
    def stream() -> Stream:
        return urimill.normalize(iter(["http://a/"]), stream=True)

    with stream() as open_stream:
        assert_type((open_stream.schema, open_stream.column_names), "tuple[Schema, list[str]]")
        assert_type([part for part in open_stream], "list[Table]")
    assert_type(stream().read_all(), Table)
    assert_type(stream().to_polars(), polars.DataFrame)
    assert_type(stream().to_pandas(), pandas.DataFrame)
    stream().to_pyarrow()
    stream().close()


def files(folder: pathlib.Path) -> None:
    log, page, archive = folder / "list.txt", folder / "page.html", folder / "a.warc"
    log.write_text("http://a/b\n")
    page.write_text("<a href=b>c</a>")
    archive.write_bytes(b"")

    def progress(done: int, total: int | None, records: int) -> None:
        print(done, total, records)

    assert_type(urimill.read(log, columns=["uri"], keep="none"), Stream)
    assert_type(urimill.convert(log, folder / "list.parquet", progress=progress, sort_by="uri"), "dict[str, Any]")
    assert_type(urimill.links(page, base="http://a/"), Stream)
    assert_type(urimill.links([page], folder / "edges.parquet", base="http://a/", edges="host"), "dict[str, Any]")
    assert_type(urimill.index([str(archive)]), Stream)
    assert_type(urimill.index(archive, folder / "a.cdxj", like="pywb"), "dict[str, Any]")
    assert_type(Lookup(folder / "a.cdxj", scan=True).find("http://a/", match="prefix", limit=1), "list[dict[str, Any]]")
    state = assert_type(urimill.report(log, folder / "report.html", title="A list"), ReportState)
    assert_type(urimill.report(polars.DataFrame({"uri": ["http://a/"]}), uri="uri"), ReportState)
    assert_type(ReportState.merge([state, state.to_bytes()], force=True), ReportState)
    assert_type(ReportState.from_bytes(state.to_bytes()).accounts, "dict[str, int]")
    assert_type((state.to_dict(10), state.to_html("A list")), "tuple[dict[str, Any], str]")


def one_uri() -> None:
    uri = URI("http://u:p@www.example.com:80/a;b/c?d=e#f", "rfc3986")
    texts = (uri.scheme, uri.authority, uri.userinfo, uri.host, uri.host_kind, uri.host_address, uri.registered_domain)
    assert_type(texts[0], "str | None")
    assert_type((uri.query, uri.fragment), "tuple[str | None, str | None]")
    assert_type((uri.port, uri.port_or_default), "tuple[int | None, int | None]")
    assert_type((uri.path, uri.segments, uri.flags), "tuple[str, list[str], list[str]]")
    assert_type((uri.query_pairs, uri.query_params), "tuple[list[tuple[str, str | None]], list[tuple[str, str | None]]]")
    assert_type(uri.path_params, "list[tuple[int, str, str | None]]")
    assert_type((uri.is_uri, uri.is_relative_reference, uri.is_absolute_uri), "tuple[bool, bool, bool]")
    assert_type(uri.spec == "rfc2396", bool)
    others = [uri.normalized("scheme"), uri.join("../c"), uri.resolve(b"?x", compat=True), uri.relative_to("http://b/")]
    others += [uri.with_scheme("https"), uri.with_userinfo("u"), uri.with_host("h"), uri.with_port(81), uri.with_path("/")]
    others += [uri.with_query("q"), uri.with_fragment("f"), uri.without_userinfo(), uri.without_port()]
    others += [uri.without_query(), uri.without_fragment(), URI.build(scheme="http", host="h", query_pairs=[("a", "b")])]
    assert_type(sorted(map(str, {*others})), "list[str]")
    assert_type(uri.explain("scheme", base="http://a/"), "dict[str, Any]")
    try:
        URI("a b")
    except RejectError as error:
        assert_type((error.text, error.code, error.component, error.offset), "tuple[str, str, str, int]")
    url = URL("../b", base=URL("http://u:p@h:81/a/c?d#e"))
    assert_type((url.href, url.origin, url.protocol, url.username, url.password), "tuple[str, str, str, str, str]")
    assert_type((url.host, url.hostname, url.port, url.pathname, url.search, url.hash), "tuple[str, str, str, str, str, str]")
    assert_type((URL.can_parse("x"), URL.disagreements(b"http://a\\b")), "tuple[bool, list[str]]")


def namespaces(connection: duckdb.DuckDBPyConnection) -> None:
    # Checkers do not know what other packages register; they know the classes behind ``.uri``.
    expression = urimill.polars.ExprNamespace(polars.col("url"))
    assert_type(expression.normalize(level="syntax"), polars.Expr)
    assert_type(expression.struct("host,path"), polars.Expr)
    series = urimill.polars.SeriesNamespace(polars.Series("url", ["http://a/"]))
    assert_type(series.host(), polars.Series)
    assert_type(series.struct(["host"]), polars.Series)
    accessor = urimill.pandas.SeriesAccessor(pandas.Series(["http://a:81/b?c#d"], dtype="str"))
    assert_type(accessor.frame("host,path", repair=True), pandas.DataFrame)
    both = [accessor.scheme(), accessor.port(), accessor.path(), accessor.query(), accessor.fragment(), accessor.error()]
    both += [accessor.registered_domain(), accessor.fingerprint(), accessor.canonical("w3lib"), accessor.resolve("http://a/")]
    both += [accessor.encode("path"), accessor.decode(), accessor.column("surt")]
    assert_type(both[0], "pandas.Series[Any]")
    urimill.duckdb.register(connection, prefix="uri_", level="syntax")


def spark(session: SparkSession, frame: DataFrame) -> None:
    import urimill.spark

    assert_type(urimill.spark.normalize(frame, uri="url", base="page", columns="uri,host"), "DataFrame")
    assert_type(urimill.spark.read(session, "logs", "heritrix", repair=True), "DataFrame")
    assert_type(urimill.spark.links(session, "pages"), "DataFrame")
    assert_type(urimill.spark.report(session, "logs"), ReportState)
    frame.select(urimill.spark.udf("uri")("url"))


def main(folder: pathlib.Path, connection: duckdb.DuckDBPyConnection) -> None:
    results(columns())
    streams()
    files(folder)
    one_uri()
    namespaces(connection)


_: Any = main
