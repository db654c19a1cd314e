"""Reports that executors make: those of one run over everything."""

from __future__ import annotations

import pyarrow
import pytest

import urimill
import urimill.spark

pytest.importorskip("pyspark")


def days(folder, count):
    """Logs with some of everything; their figures are exact."""
    folder.mkdir()
    for day in range(count):
        lines = [
            f"192.0.2.{n % 7} - - [{day % 28 + 1:02}/May/2015:{n % 24:02}:05:03 +0000] "
            f'"GET /d{n % 5}/{n}.png?q={n} HTTP/1.1" {[200, 404, 500][n % 3]} {n * 100} "http://h{n % 3}.example/" "agent {day}"\n'
            for n in range(50)
        ]
        (folder / f"{day:03}.log").write_text("".join(lines) + "broken\n")
    return folder


# With many states other tasks add them up.
@pytest.mark.parametrize(("count", "partitions"), [(3, None), (3, 1), (5, 2), (20, None), (40, 30)])
def test_report_is_that_of_one_run(count, partitions, spark, tmp_path):
    folder = days(tmp_path / "logs", count)
    whole = urimill.report(folder / "*.log", format="clf")
    state = urimill.spark.report(spark, folder, "clf", partitions=partitions)
    assert state.accounts["records"] == 51 * count and state.accounts["rejects"] == count
    assert state.to_dict() == whole.to_dict()
    assert state.to_html("days") == whole.to_html("days")


def test_report_of_a_real_log(corpora, spark, tmp_path):
    """Cut into pieces, of which every task gets one."""
    lines = (corpora / "apache_access_semicomplete.log").read_bytes().splitlines(keepends=True)
    for number in range(4):
        (tmp_path / f"{number}.log").write_bytes(b"".join(lines[number::4]))
    whole = urimill.report(tmp_path / "*.log", base="http://example.com/", spec="rfc3986")
    state = urimill.spark.report(spark, tmp_path, base="http://example.com/", spec="rfc3986")
    assert state.accounts["records"] == len(lines)
    assert state.to_dict(most=100_000) == whole.to_dict(most=100_000)


def test_report_from_a_filesystem(spark, tmp_path):
    """The report has the names of the files, not those of their copies."""
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    days(tmp_path / "bucket", 2)
    remote = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    state = urimill.spark.report(spark, "bucket", "clf", filesystem=remote)
    figures = state.to_dict()
    assert figures["inputs"] == {"count": 2, "names": ["bucket/000.log", "bucket/001.log"]}
    sources = [example["source"] for code in figures["rejects"].values() for example in code["examples"]]
    assert sources == ["bucket/000.log", "bucket/001.log"]


def test_files_and_partitions_that_are_equal_count(spark, tmp_path):
    """They are of one run, in which nothing counts twice by mistake; the sum with itself is refused."""
    for name in ["a.txt", "b.txt"]:
        (tmp_path / name).write_text("http://h/\n")
    state = urimill.spark.report(spark, tmp_path, "lines")
    assert state.accounts["records"] == 2
    with pytest.raises(ValueError, match="both hold the input"):
        urimill.ReportState.merge([state, state])
    frame = spark.createDataFrame([("http://h/",)] * 40, "url string").repartition(20)
    state = urimill.spark.report(frame, uri="url")
    assert state.accounts["records"] == 40
    with pytest.raises(ValueError, match="both hold the input"):
        urimill.ReportState.merge([state, state])


def test_refused_by_the_driver(spark, tmp_path):
    days(tmp_path / "logs", 1)
    for options, error, sentence in [
        ({"output": "a.html"}, ValueError, "output is not for executors"),
        ({"colour": 1}, TypeError, "colour"),
        ({"level": "high"}, ValueError, "high"),
        ({"partitions": 0}, ValueError, "partitions is 0"),
    ]:
        with pytest.raises(error, match=sentence):
            urimill.spark.report(spark, tmp_path / "logs", **options)
    with pytest.raises(FileNotFoundError):
        urimill.spark.report(spark, tmp_path / "missing")


def rows(count):
    """Those of a server's log, with some of everything."""
    return [
        (
            f"http://example.com/d{n % 5}/{n}.png?q={n}" if n % 50 else "http://[/",
            [200, 404, 500][n % 3],
            1_700_000_000 + n * 60,
            None if n % 11 == 0 else n * 100,
            f"192.0.2.{n % 7}",
            "agent",
            n,
        )
        for n in range(count)
    ]


SCHEMA = "link string, status int, time long, size long, client string, user_agent string, other int"


# Empty partitions among them, and more than the driver adds up itself.
@pytest.mark.parametrize(("count", "partitions"), [(0, 2), (3, 5), (1000, 1), (2000, 20)])
def test_report_of_a_frame_is_that_of_one_run(count, partitions, spark):
    frame = spark.createDataFrame(rows(count), SCHEMA).repartition(partitions)
    state = urimill.spark.report(frame, uri="link", repair=True).to_dict(most=100_000)
    assert state["accounts"]["records"] == count
    if count == 0:
        return
    # Spark 3.5 has no toArrow.
    whole = frame.toArrow() if hasattr(frame, "toArrow") else pyarrow.Table.from_batches(frame._collect_as_arrow())
    whole = urimill.report(whole, uri="link", repair=True).to_dict(most=100_000)
    assert whole["series"]["first"] == "2023-11-14 22:13:20"
    # The partitions have names of their own, and numbers of records.
    names = state["inputs"]["names"]
    assert names and all(name.startswith("partition ") for name in names)
    for figures in (state, whole):
        figures.pop("inputs")
        for code in figures["rejects"].values():
            code.pop("examples")
    assert state == whole


def test_names_of_a_frame(spark):
    """Columns count by their names alone, and a frame may have two unused ones with one name."""
    frame = spark.createDataFrame([("a b", "http://h/", 404, 1, 2)], "uri string, base string, status int, n int, m int")
    twice = frame.withColumnRenamed("m", "n")
    state = urimill.spark.report(twice, uri="uri", base_field="base", repair=True)
    figures = state.to_dict()["figures"]
    assert figures["host"]["top"] == [{"text": "h", "sum": 1}]
    assert figures["host_failures"]["top"] == [{"text": "h", "sum": 1}]
    for other, options, error, sentence in [
        (frame, {}, ValueError, 'there is no column "url" for uri'),
        (frame, {"uri": "status"}, TypeError, "texts cannot be read from the column"),
        (frame.withColumnRenamed("m", "status"), {"uri": "uri"}, ValueError, "several columns 'status'"),
        (frame, {"uri": "uri", "partitions": 3}, ValueError, "a frame has no paths"),
        (frame, {"uri": "uri", "log_format": "common"}, TypeError, "log_format"),
        (frame, {"uri": "uri", "title": "a"}, ValueError, "title is not for executors"),
    ]:
        with pytest.raises(error, match=sentence):
            urimill.spark.report(other, **options)
    with pytest.raises(ValueError, match="uri names a column of a frame"):
        urimill.spark.report(spark, "logs", uri="uri")
    with pytest.raises(TypeError, match="paths are missing"):
        urimill.spark.report(spark)
