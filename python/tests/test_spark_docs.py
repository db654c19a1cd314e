"""docs/SPARK.md and the docstrings of urimill.spark: what they show is what happens."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys

import pytest
from conftest import ROOT
from test_docs import check

import urimill.spark

pytest.importorskip("pyspark")

PAGE = ROOT / "docs" / "SPARK.md"


@pytest.mark.parametrize("name", urimill.spark.__all__)
def test_examples(name, spark):
    check(doctest.DocTestParser().get_doctest(getattr(urimill.spark, name).__doc__, {"spark": spark}, name, None, None))


def test_page(spark, spark_folder, monkeypatch):
    """The blocks of Python in order, in one folder; a block of text after one is its output."""
    monkeypatch.chdir(spark_folder)
    setting = "spark.sql.parquet.outputTimestampType"
    before = spark.conf.get(setting)
    names: dict = {"__name__": "page"}
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    runs = [
        (code, blocks[number + 1][1] if blocks[number + 1][0] == "text" else "")
        for number, (language, code) in enumerate(blocks[:-1])
        if language == "python"
    ]
    assert len(runs) > 7
    said = ""
    try:
        for code, expected in runs:
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(code, PAGE.name, "exec"), names)
            said = output.getvalue()
            assert said.strip() == expected.strip(), code
    finally:
        spark.conf.set(setting, before)
    # The last is a job, of which the page has the arguments.
    monkeypatch.setattr(sys, "argv", ["job.py", "logs", "table"])
    exec(compile(runs[-1][0], PAGE.name, "exec"), {"__name__": "__main__"})
    table = spark.read.parquet("table")
    assert table.count() == 2 and {"surt", "status", "source"} <= set(table.columns)
    # The page's statements about the other tables.
    assert [row.surt for row in spark.read.parquet("sites").where("surt IS NOT NULL").collect()] == ["com,example)/~a"]
    assert spark.read.parquet("ccindex").columns[-2:] == ["crawl", "subset"]
