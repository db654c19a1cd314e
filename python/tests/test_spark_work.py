"""Functions of columns, files, and what executors do: their engines stay warm, and their memory does not grow."""

from __future__ import annotations

import functools
import gc
import gzip
import os
import pickle
import shutil
import subprocess
import sys

import pyarrow
import pytest

import urimill
import urimill.spark

pytest.importorskip("pyspark")

LINKS = ["HTTP://Example.com:80/%7Ea?x=1", None, "/a b", "http://[::1]:8080/", "../c"]


@pytest.fixture(scope="module")
def links(spark):
    rows = [(link, "http://h/a/b") for link in LINKS]
    return spark.createDataFrame(rows, "url string, page string").coalesce(1)


def test_udf_is_a_struct(links):
    columns = "uri,port,error,fingerprint,host_parts,raw_bytes"
    rows = links.select(urimill.spark.udf(columns)("url").alias("parts")).select("parts.*").collect()
    assert [row.asDict() for row in rows] == urimill.normalize(LINKS, columns=columns).to_pylist()
    whole = links.select(urimill.spark.udf()("url").alias("parts")).select("parts.*")
    assert whole.columns == [name for name in urimill.schema().names if name != "record"]


def test_udf_of_one_column(links):
    for column in ["host", "fingerprint", "port"]:
        told = [row[0] for row in links.select(urimill.spark.udf(column)("url")).collect()]
        assert told == urimill.normalize(LINKS, columns=column)[column].to_pylist()


def test_udf_with_bases(links):
    expected = urimill.normalize(LINKS, base="http://h/a/b", columns="uri")["uri"].to_pylist()
    one = links.select(urimill.spark.udf("uri", base=urimill.URI("http://h/a/b"))("url"))
    each = links.select(urimill.spark.udf("uri", base=True)("url", "page"))
    assert [row[0] for row in one.collect()] == [row[0] for row in each.collect()] == expected
    with pytest.raises(Exception, match="a second column is missing, the bases"):
        links.select(urimill.spark.udf("uri", base=True)("url")).collect()


def test_udf_by_the_url_standard(spark):
    links = spark.createDataFrame([(r"HTTP:\\0x7f.1\a",), ("http://h/%2e",), ("/a",)], "url string")
    rows = links.select(urimill.spark.udf("uri", spec="whatwg")("url")).collect()
    assert [row[0] for row in rows] == ["http://127.0.0.1/a", "http://h/", "/a"]
    beside = links.select(urimill.spark.udf("whatwg_host,disagreement")("url").alias("it")).select("it.*").collect()
    names = ["host_differs", "backslash_authority", "numeric_host", "invalid_for_rfc"]
    assert beside == [("127.0.0.1", names), ("h", ["dot_encoded"]), (None, [])]


def test_udf_in_sql(spark, links):
    spark.udf.register("uri_host", urimill.spark.udf("host", repair=True))
    links.createOrReplaceTempView("links")
    rows = spark.sql("SELECT uri_host(url) AS host, count(*) AS n FROM links GROUP BY 1 ORDER BY 1").collect()
    assert rows == [(None, 3), ("[::1]", 1), ("example.com", 1)]


def test_udf_of_pandas(links, monkeypatch):
    """As PySpark before 4.1 has it."""
    pandas = pytest.importorskip("pandas")
    from urimill.spark._work import Series

    frame = Series((("columns", "uri,fingerprint,port"),), True).urimill(pandas.Series(LINKS, dtype=object))
    expected = urimill.normalize(LINKS, columns="uri,fingerprint,port").to_pyarrow()
    assert pyarrow.Table.from_pandas(frame).to_pydict() == expected.to_pydict()
    one = Series((("columns", "port"),), False).urimill(pandas.Series(LINKS, dtype=object))
    assert pyarrow.Array.from_pandas(one).to_pylist() == expected["port"].to_pylist()


READS = [
    ("heritrix_crawl.log", "heritrix", {}),
    ("pywb_iana.cdxj", "cdxj", {"columns": "+surt"}),
    ("apache_access_semicomplete.log", "clf", {"base": "http://example.com/"}),
    ("top100.txt", "lines", {"level": "syntax"}),
]


@pytest.mark.parametrize(("name", "format", "options"), READS, ids=[row[0] for row in READS])
def test_read(name, format, options, corpora, spark):
    expected = urimill.read(corpora / name, format, **options).read_all().to_pyarrow()
    for asked in {format, "auto"} - ({"auto"} if format == "lines" else set()):
        table = urimill.spark.read(spark, corpora / name, asked, **options).toArrow().sort_by("record")
        assert table.column_names == expected.column_names
        assert table.to_pydict() == expected.to_pydict()


def test_read_a_directory(tmp_path, spark):
    folder = tmp_path / "logs"
    folder.mkdir()
    with gzip.open(folder / "a.txt.gz", "wt") as file:
        file.write("http://a/\n\nHTTP://b\n")
    (folder / "b.txt").write_text("/a b")
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden").write_text("http://hidden/")
    told = {}
    for paths in [folder, f"file:{folder}", [folder / "b.txt", str(folder / "*.gz")]]:
        for partitions in [None, 1]:
            frame = urimill.spark.read(spark, paths, "lines", columns="source,record,uri", partitions=partitions)
            assert frame.rdd.getNumPartitions() == (partitions or 2)
            told[str(paths), partitions] = sorted(map(tuple, frame.collect()))
    rows = [(str(folder / "a.txt.gz"), 1, "http://a/"), (str(folder / "a.txt.gz"), 3, "http://b/"), (str(folder / "b.txt"), 1, "/a b")]
    assert list(told.values()) == [rows] * 6


def test_read_from_a_filesystem(tmp_path, spark):
    """A task copies its file, and takes the copy away."""
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    (tmp_path / "bucket").mkdir()
    (tmp_path / "bucket" / "x.csv").write_text("id,link\n7,http://a/\n")
    (tmp_path / "bucket" / "y.csv").write_text("id,link\n8,http://b/\n")
    remote = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    for paths in ["bucket", "bucket/*.csv", ["bucket/x.csv", "bucket/y.csv"]]:
        frame = urimill.spark.read(spark, paths, "csv", uri_field="link", columns="+source", filesystem=remote)
        assert sorted(frame.select("source", "uri", "id").collect()) == [
            ("bucket/x.csv", "http://a/", "7"),
            ("bucket/y.csv", "http://b/", "8"),
        ]
    with pytest.raises(FileNotFoundError, match="bucket/z"):
        urimill.spark.read(spark, "bucket/z", "csv", uri_field="link", filesystem=remote)


def test_files_with_other_columns(tmp_path, spark):
    (tmp_path / "x.csv").write_text("id,link\n7,http://a/\n")
    (tmp_path / "y.csv").write_text("id,link\n8,http://b/\n")
    frame = urimill.spark.read(spark, tmp_path, "csv", uri_field="link", columns="uri", keep="all")
    assert frame.columns == ["uri", "id", "field_errors"] and frame.count() == 2
    (tmp_path / "y.csv").write_text("link,name\nhttp://b/,8\n")
    with pytest.raises(Exception, match=r"y\.csv has the columns uri, name, field_errors, but the first file, .*, has "):
        frame.count()


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def plan(spark, **keywords):
    """The work that a frame's batches get."""
    from urimill.spark import _frames

    taken = []

    class Frame:
        def __init__(self, real):
            self.real = real

        def __getattr__(self, name):
            return getattr(self.real, name)

        def toDF(self, *names):
            return Frame(self.real.toDF(*names))

        def select(self, *names):
            return Frame(self.real.select(*names))

        def mapInArrow(self, work, schema):
            taken.append((work, schema, self.real))
            return self.real

    _frames.normalize(Frame(spark), **keywords)
    return taken[0]


URLS = "concat('HTTP://h', id % 100, '.example.com:80/', id, '/%7E?q=', id) AS url"


def test_memory_is_steady_over_a_thousand_batches(spark):
    """In this process, without Spark."""
    work, _, _ = plan(spark.range(1).selectExpr(URLS, "id"), columns="+surt,+host_parts")
    work = pickle.loads(pickle.dumps(work))
    links = pyarrow.array([f"HTTP://h{n % 100}.example.com:80/{n}/%7E?q={n}" for n in range(2000)])
    batch = pyarrow.record_batch([links, pyarrow.array(range(2000))], ["c0", "c1"])
    after = 0
    for number, made in enumerate(work(iter([batch] * 1100))):
        assert made.num_rows == 2000
        if number == 100:
            gc.collect()
            after = resident()
    assert number == 1099
    assert resident() - after < 32 << 20


def test_memory_is_steady_on_executors(spark):
    """And one engine does for all batches of all tasks of a process."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
    try:
        frame = spark.range(0, 1_200_000, 1, 4).selectExpr(URLS)
        work, _, numbered = plan(frame, columns="uri,host,surt")

        # Functions within functions go to executors as they are.
        def watched(batches):
            from urimill.spark._work import engine

            def resident():
                with open("/proc/self/statm") as statm:
                    return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

            before = engine.cache_info().misses
            count = after = 0
            for made in work(batches):
                count += 1
                if count == 100:
                    after = resident()
            columns = [[os.getpid()], [count], [resident() - after], [engine.cache_info().misses - before]]
            yield pyarrow.record_batch(columns, ["pid", "batches", "grown", "engines"])

        rows = numbered.mapInArrow(watched, "pid long, batches long, grown long, engines long").collect()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert sum(row.batches for row in rows) == 2400
    assert all(row.grown < 32 << 20 for row in rows), rows
    # Two executors with a process each, which are used again.
    processes = {row.pid for row in rows}
    assert len(processes) < len(rows) and sum(row.engines for row in rows) == len(processes), rows


def test_engines_are_kept():
    from urimill.spark._work import engine

    options = (("columns", "uri"), ("drop_params", ("a", "b")), ("canonical", "w3lib"))
    assert engine(options) is engine(tuple(list(options)))
    assert engine(options).schema.names == ["uri", "canonical"]
    table = functools.partial(engine(options).table)
    with pytest.raises(TypeError, match="there is a second column"):
        table(["a:b"], ["c:d"])
    with pytest.raises(TypeError, match="of type Int64"):
        table(pyarrow.array([1]))
    with pytest.raises(ValueError, match="data is a table"):
        table(pyarrow.table({"a": ["b"]}))


def test_without_pyspark(tmp_path):
    """The module can be imported, and says what is missing where it is used."""
    package = os.path.dirname(urimill.__file__)
    shutil.copytree(package, tmp_path / "urimill", ignore=shutil.ignore_patterns("__pycache__"))
    script = "import urimill.spark\ntry:\n    urimill.spark.udf('host')\nexcept ImportError as error:\n    print(error)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-S", "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sentence = "urimill.spark needs PySpark 3.5 or later and pyarrow 15 or later, and there is no pyarrow: pip install 'urimill[spark]'"
    assert done.stdout.strip() == sentence


def test_an_empty_file_is_of_any_format(tmp_path):
    from urimill.spark._files import Files

    (tmp_path / "a.csv").write_text("url,n\nHTTP://h/,1\n")
    (tmp_path / "b.csv").write_text("")
    options = {"header": True, "uri_field": "url", "columns": "uri", "keep": ["n"]}
    files = tuple(str(tmp_path / name) for name in ["a.csv", "b.csv"])
    with urimill.read(files[0], **options) as stream:
        plan = Files(files, "auto", options, None, names=tuple(stream.column_names))
    assert [len(list(plan.rows(file))) for file in files] == [1, 0]
    # An option that fits no file is an error.
    (tmp_path / "b.csv").write_text("http://h/\n")
    with pytest.raises(ValueError, match="header"):
        list(plan.rows(files[1]))
