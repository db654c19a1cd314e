#!/usr/bin/env python3
"""A column of URIs in Spark: urimill beside Spark's time for unprocessed rows, and its own parse_url. Prints Markdown.

    python/benches/spark.py [--input FILE] [--rows N] [--runs N] [--cores 1]

It takes PySpark and Java; urimill is the installed wheel: a release one, or the figures say nothing. Each reads the same
Parquet file, of which Spark keeps nothing, and writes to nowhere (`noop`), so that every row is made and none is stored:

- mapInArrow, same columns: a function that gives back, for each batch, what urimill once made of one of some: the same
  columns of the same size without work. It is what Spark itself takes, there and back.
- mapInArrow, the text: a function that gives back the texts as so many columns of strings.
- parse_url: PROTOCOL, HOST, PATH, QUERY and REF in the JVM; nothing is normalized, and a text that java.net.URI refuses is
  null. (try_parse_url, where there is one: parse_url fails there.)

Only ratios within one run say something. Rounds go through all in turn; a figure is the median of the rounds: time on the
clock, and processor time of all processes (where there is /proc), which other programs disturb less. Spark's JVM and the
process of Python work side by side: what Python takes shows on the clock where processors are busy otherwise.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import random
import statistics
import sys
import tempfile
import time

import bulk
import pyarrow
import pyarrow.parquet

import urimill
import urimill.spark

FIVE = "scheme,host,path,query,fragment"


def session(cores: int, folder: str):
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(f"local[{cores}]").appName("bench")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": folder,
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def same_columns(frame, columns: str | None):
    """The outputs of urimill for other batches, made in the round that warms up; processes of Python live on."""
    schema = urimill.spark.normalize(frame, columns=columns).schema

    def give_back(batches):
        kept = vars(urimill).setdefault("_kept", {})
        for number, batch in enumerate(batches):
            key = columns, number % 32
            if key not in kept or kept[key].num_rows < batch.num_rows:
                table = urimill.normalize(batch.column(0), columns=columns or "-record", threads=1).to_pyarrow()
                kept[key] = table.combine_chunks().to_batches()[0]
            yield kept[key].slice(0, batch.num_rows)

    return frame.mapInArrow(give_back, schema)


def the_text(frame, count: int):
    """The texts, so many times."""

    def give_back(batches):
        for batch in batches:
            yield pyarrow.RecordBatch.from_arrays([batch.column(0)] * count, [f"c{n}" for n in range(count)])

    return frame.mapInArrow(give_back, ", ".join(f"c{n} string" for n in range(count)))


def competitors(spark, frame):
    """Names, frames, and which of the two groups each belongs to: five components, or the table."""
    table = len(urimill.schema().names) - 1
    parse_url = "try_parse_url" if spark.catalog.functionExists("try_parse_url") else "parse_url"
    parts = [f"{parse_url}(url, '{part}') AS {part}" for part in ("PROTOCOL", "HOST", "PATH", "QUERY", "REF")]
    return [
        ("the column alone, read", frame, 0),
        ("mapInArrow, same columns", same_columns(frame, FIVE), 5),
        ("mapInArrow, the text", the_text(frame, 5), 5),
        (f"Spark's {parse_url}", frame.selectExpr(*parts), 5),
        ("**urimill.spark.normalize**", urimill.spark.normalize(frame, columns=FIVE), 5),
        ("**urimill.spark.udf**", frame.select(urimill.spark.udf(FIVE)("url").alias("parts")).select("parts.*"), 5),
        ("mapInArrow, same columns", same_columns(frame, None), table),
        ("mapInArrow, the text", the_text(frame, table), table),
        ("**urimill.spark.normalize**, the table", urimill.spark.normalize(frame), table),
    ]


def processor_time() -> float:
    """Seconds of this process and all below it, those that have ended included."""
    parents: dict[int, list[int]] = {}
    ticks = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            # Behind the name, which may hold anything.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(folder.name))
        ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    total, left = 0, [os.getpid()]
    while left:
        process = left.pop()
        total += ticks.get(process, 0)
        left += parents.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


def measure(rivals, runs: int) -> list[tuple[float, float]]:
    """Seconds on the clock and of processors, medians. A round before all warms the JVM and the processes of Python up."""
    seconds: list[list[tuple[float, float]]] = [[] for _ in rivals]
    for number in range(runs + 1):
        for own, (_, frame, _) in zip(seconds, rivals):
            begun, worked = time.perf_counter(), processor_time()
            frame.write.format("noop").mode("overwrite").save()
            if number > 0:
                own.append((time.perf_counter() - begun, processor_time() - worked))
    return [tuple(statistics.median(column) for column in zip(*own)) for own in seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cores", type=int, default=1)
    arguments = parser.parse_args()
    name, texts = bulk.lines(arguments.input)
    random.Random(bulk.SEED).shuffle(texts)
    texts = (texts * (arguments.rows // len(texts) + 1))[: arguments.rows]
    mean = sum(len(text.encode()) for text in texts) / len(texts)
    with tempfile.TemporaryDirectory() as folder:
        size = -(-len(texts) // (2 * arguments.cores))
        for number in range(2 * arguments.cores):
            part = pyarrow.table({"url": texts[number * size : (number + 1) * size]})
            pyarrow.parquet.write_table(part, f"{folder}/{number}.parquet")
        spark = session(arguments.cores, folder)
        rivals = competitors(spark, spark.read.parquet(f"{folder}/*.parquet"))
        medians = measure(rivals, arguments.runs)
        java = spark.sparkContext._jvm.System.getProperty("java.version")
        print(f"- Spark {spark.version}, Java {java}, local[{arguments.cores}], Python {platform.python_version()}, pyarrow {pyarrow.__version__}")
        print(f"- data `{name}`: {len(texts):,} rows of {mean:.1f} bytes, median of {arguments.runs}\n")
        spark.stop()
    print("| columns | | ns per URI | by mapInArrow of the same columns | ns of processors | by the same |")
    print("|---:|---|---:|---:|---:|---:|")
    mere = {count: taken for (rival, _, count), taken in zip(rivals, medians) if rival == "mapInArrow, same columns"}
    for (rival, _, count), taken in zip(rivals, medians):
        cells = []
        for own, other in zip(taken, mere.get(count, (0, 0))):
            cells += [f"{own / len(texts) * 1e9:.0f}", f"{own / other:.2f}" if other else ""]
        print(f"| {count or 1} | {rival} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
