"""Links that executors read: those of one run over everything."""

from __future__ import annotations

import pytest

import urimill
import urimill.spark

pytest.importorskip("pyspark")


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(5):
        text = f"<base href=/d{number}/><a href=a>x</a><img src='b c'><a href=//h{number % 2}.example/></a>"
        (folder / f"{number}.html").write_text(text)
    return folder


@pytest.mark.parametrize("partitions", [None, 1, 3])
def test_links_are_those_of_one_run(spark, pages, partitions):
    columns = ["uri", "page_record", "base_kind", "element", "position", "flags", "error"]
    whole = urimill.links(pages / "*.html", base="http://example.com/", columns=columns).read_all().to_pyarrow()
    frame = urimill.spark.links(spark, pages, base="http://example.com/", columns=columns, partitions=partitions)
    # Pages are numbered in each file.
    own = [{**row, "page_record": 1} for row in whole.to_pylist()]
    found = frame.toArrow().to_pylist()
    assert sorted(found, key=str) == sorted(own, key=str) and len(found) == 20


def test_edges_add_up(spark, pages):
    whole = urimill.links(pages / "*.html", base="http://example.com/", edges="uri").read_all().to_pylist()
    parts = urimill.spark.links(spark, pages, base="http://example.com/", edges="uri")
    sums = parts.groupBy("source", "target").sum("links", "pages").toArrow().to_pylist()
    sums = [{"links": row.pop("sum(links)"), "pages": row.pop("sum(pages)"), **row} for row in sums]
    assert sorted(sums, key=str) == sorted([{name: row[name] for name in sums[0]} for row in whole], key=str)


def test_links_from_a_filesystem(spark, pages):
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    remote = SubTreeFileSystem(str(pages.parent), LocalFileSystem())
    frame = urimill.spark.links(spark, "pages/*.html", base="http://example.com/", columns="uri", filesystem=remote)
    assert frame.count() == 20


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"format": "parquet"}, "format"),
        ({"sort_by": "uri"}, "sort the frame"),
        ({"output": "x"}, "write the frame"),
        ({"edges": "page"}, "edges"),
        ({"uri_field": "a"}, "links takes no uri_field"),
    ],
)
def test_what_is_refused(spark, pages, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        urimill.spark.links(spark, pages, **options)
