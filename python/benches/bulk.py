#!/usr/bin/env python3
"""A column of URIs in Python: urimill beside other packages, in one run. Prints Markdown.

    python/benches/bulk.py [--input FILE] [--rows N] [--runs N] [--threads 1,2] [--only NAME]

The packages are those of python/tests/requirements.txt, and can_ada and ada-url; what is not there is left out. urimill is
the installed wheel: a release one (`maturin build --release`), or the figures say nothing.

What each does differs, and only urimill's is a table of all components that are validated and normalized:

- can_ada, ada_url, yarl: an object for each text, made one after the other, kept in a list; what they refuse is counted.
- urllib.parse.urlsplit: a tuple for each text; nothing is checked. w3lib: the canonical text alone.
- pandas, Polars, DuckDB: the regular expression of RFC 3986, Appendix B, on a column; nothing is checked.

Only ratios within one run say something. Rounds go through all in turn; a figure is the median of the rounds. With one
thread the process is pinned to one processor, so that nobody has threads of their own, and processor time is counted, which
other programs disturb less; with several it is time on the clock.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import os
import pathlib
import platform
import random
import statistics
import time
import timeit

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATTERN = r"^(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?"
SEED = 2024


def lines(path: pathlib.Path | None) -> tuple[str, list[str]]:
    """Distinct texts in no order: the links of two public lists, or made-up ones where these are not at hand."""
    if path is not None:
        return path.name, sorted(set(path.read_text(errors="replace").split("\n")) - {""})
    folder = pathlib.Path(os.environ.get("URIMILL_SHARED") or ROOT.parent / "shared") / "corpora"
    files = [folder / name for name in ("top100.txt", "eot2024_seedlists.txt")]
    if all(file.is_file() for file in files):
        texts = {line.strip("\r") for file in files for line in file.read_text(errors="replace").split("\n")}
        return "te", sorted(texts - {""})
    sample = (ROOT / "datasets" / "sample.txt").read_text(errors="replace").splitlines()
    return "model", [f"{text}#{number}" for number in range(200_000 // len(sample)) for text in sample if text]


def one_by_one(parse, texts):
    """A list of what `parse` makes; None where it refuses."""

    def run():
        made = []
        for text in texts:
            try:
                made.append(parse(text))
            except Exception:
                made.append(None)
        return made

    return run


def competitors(texts: list[str], threads: int):
    """Names, and what is timed."""
    import pyarrow

    import urimill

    column = pyarrow.array(texts)
    if threads == 1:
        yield "urimill, list", lambda: urimill.normalize(texts, threads=1)
    yield "urimill, column", lambda: urimill.normalize(column, threads=threads)
    yield "urimill, column, views", lambda: urimill.normalize(column, threads=threads, strings="string_view")
    yield (
        "urimill, column: scheme, host, path, query, fragment",
        lambda: urimill.normalize(column, threads=threads, columns="scheme,host,path,query,fragment"),
    )
    yield "urimill, column: host", lambda: urimill.normalize(column, threads=threads, columns="host")
    yield from namespaces(column, texts, threads)
    yield from columns_of_others(column, threads)
    if threads > 1:
        return
    from urllib.parse import urlsplit

    yield "urimill.URI(text).host", one_by_one(lambda text: urimill.URI(text).host, texts)
    try:
        import can_ada

        yield "can_ada.parse(text).host", one_by_one(lambda text: can_ada.parse(text).host, texts)
    except ImportError:
        pass

    for name, parse in [
        ("can_ada", lambda: __import__("can_ada").parse),
        ("ada_url", lambda: __import__("ada_url").URL),
        ("yarl", lambda: __import__("yarl").URL),
        ("urllib.parse.urlsplit", lambda: urlsplit),
        ("w3lib.url.canonicalize_url", lambda: __import__("w3lib.url").url.canonicalize_url),
    ]:
        try:
            yield name, one_by_one(parse(), texts)
        except ImportError:
            continue


def namespaces(column, texts: list[str], threads: int):
    """Data of Polars and pandas, in and out, and the namespaces beside the calls on columns that they make."""
    import urimill

    try:
        import polars

        import urimill.polars  # noqa: F811

        # Its own threads may be fewer; those of a namespace are the processors that RAYON_NUM_THREADS says.
        series = polars.Series("uri", texts)
        yield "Polars to Polars, table", lambda: urimill.normalize(series, threads=threads).to_polars()
        yield "Polars to Polars, host", lambda: urimill.normalize(series, columns="host", threads=threads)["host"].to_polars()
        frame = series.to_frame()
        hosts = polars.col("uri").uri.host()
        yield "Polars .uri.host(), series", lambda: series.uri.host()
        yield "Polars .uri.host(), expression", lambda: frame.lazy().select(hosts).collect()
    except ImportError:
        pass
    try:
        import pandas

        import urimill.pandas  # noqa: F811

        strings = pandas.Series(column.to_pandas(), dtype="str")
        yield "pandas to pandas, host", lambda: urimill.normalize(strings, columns="host", threads=threads)["host"].to_pandas()
        yield "pandas .uri.host()", lambda: strings.uri.host()
    except ImportError:
        pass
    try:
        import duckdb
        import pyarrow

        import urimill.duckdb  # noqa: F811

        connection = duckdb.connect(config={"threads": threads})
        urimill.duckdb.register(connection)
        connection.register("links", pyarrow.table({"uri": column}))
        yield "DuckDB uri_host(uri)", lambda: connection.sql("SELECT uri_host(uri) AS host FROM links").to_arrow_table()
    except ImportError:
        pass


def columns_of_others(column, threads: int):
    try:
        import polars

        series = polars.Series("uri", column)
        yield "Polars .str.extract_groups", lambda: series.str.extract_groups(PATTERN).struct.unnest()
    except ImportError:
        pass
    try:
        import pandas

        strings = pandas.Series(column.to_pandas(), dtype="str")
        if threads == 1:
            yield "pandas .str.extract", lambda: strings.str.extract(PATTERN)
    except ImportError:
        pass
    try:
        import duckdb

        import pyarrow

        connection = duckdb.connect(config={"threads": threads})
        connection.register("links", pyarrow.table({"uri": column}))
        query = f"SELECT unnest(regexp_extract(uri, '{PATTERN}', ['scheme', 'authority', 'path', 'query', 'fragment'])) FROM links"
        yield "DuckDB regexp_extract", lambda: connection.sql(query).to_arrow_table()
    except ImportError:
        pass


def measure(texts: list[str], threads: int, runs: int, only: str = "") -> dict[str, float]:
    """Seconds by name, medians."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, set(processors[-threads:]))
    clock = time.process_time if threads == 1 else time.perf_counter
    seconds: dict[str, list[float]] = {}
    for _ in range(runs):
        for name, work in competitors(texts, threads):
            if only not in name and name != "urimill, column":
                continue
            gc.collect()
            begun = clock()
            made = work()
            seconds.setdefault(name, []).append(clock() - begun)
            del made
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(processors))
    return {name: statistics.median(own) for name, own in seconds.items()}


def versions() -> str:
    names = ["urimill", "can_ada", "ada-url", "yarl", "w3lib", "polars", "pandas", "duckdb", "pyarrow"]
    told = []
    for name in names:
        try:
            told.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join([f"Python {platform.python_version()}", *told])


def small_calls() -> None:
    """Microseconds a call, the least of five rounds."""
    import pyarrow

    import urimill

    print("| rows | list | array | array, host | array, views |\n|---:|---:|---:|---:|---:|")
    for rows in [1, 10, 100, 1000]:
        texts = [f"http://www.example.com/some/path?row={row}" for row in range(rows)]
        column = pyarrow.array(texts)
        calls = [lambda: urimill.normalize(texts), lambda: urimill.normalize(column)]
        calls += [lambda: urimill.normalize(column, columns="host"), lambda: urimill.normalize(column, strings="string_view")]
        count = 20_000 // (rows + 20)
        taken = [min(timeit.repeat(call, number=count, repeat=5)) / count * 1e6 for call in calls]
        print(f"| {rows} |" + "".join(f" {micros:.1f} |" for micros in taken))
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the list is repeated for so many")
    parser.add_argument("--only", default="", help="measure what has this in its name")
    parser.add_argument("--threads", default="1,2")
    arguments = parser.parse_args()
    name, texts = lines(arguments.input)
    random.Random(SEED).shuffle(texts)
    distinct = len(texts)
    texts = (texts * (arguments.rows // distinct + 1))[: arguments.rows]
    mean = sum(len(text.encode()) for text in texts) / len(texts)
    print(f"- {versions()}\n- data `{name}`: {len(texts):,} texts, {min(distinct, len(texts)):,} of them distinct, of {mean:.1f} bytes, median of {arguments.runs}\n")
    for threads in map(int, arguments.threads.split(",")):
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        seconds = measure(texts, threads, arguments.runs, arguments.only)
        own = seconds["urimill, column"]
        print(f"| `{name}`, {threads} thread{'s' if threads > 1 else ''} | ns per URI | time, by urimill's column |")
        print("|---|---:|---:|")
        for row, taken in sorted(seconds.items(), key=lambda pair: pair[1]):
            shown = f"**{row}**" if "urimill" in row or "uri" in row or " to " in row else row
            print(f"| {shown} | {taken / len(texts) * 1e9:.0f} | {taken / own:.2f} |")
        print(flush=True)
    small_calls()


if __name__ == "__main__":
    main()
