"""The programs that benches/compare sets side by side, each brought to the same task: what runs in the process of one
measurement, `programs.py JOB`, with JOB a JSON object:

- `program`, one of PROGRAMS; `task`: `memory`, the codec of a Parquet file, `sorted`, `dedupe`, `csv-uri` or `csv-all`;
  `threads`
- `binary`, urimill's; `input`, a file of lines or, for CSV, a table with a column `url`; `output`, the Parquet file to
  write, or GNU sort's text, which is left there
"""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

from workbench import CSV_COLUMNS

PARTS = ["scheme", "host", "path", "query", "fragment"]
# RFC 3986, Appendix B, with the groups that are not components left uncaptured. Its authority is the
# host here: user information and port stay in it.
APPENDIX_B = r"^(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?"
# A column of lines is read as a table whose delimiter is a byte that no list of URIs has.
NO_DELIMITER = "\x01"
CODECS = ["zstd", "lz4", "snappy", "none"]
# What programs may take for distinct lines; ClickHouse goes to the disk from half of that on, and has no limit.
MEMORY = "512M"
SPLITS = {"memory", *CODECS, "sorted"}
TABLES = {"dedupe", "csv-uri", "csv-all"}


def named_groups(syntax):
    """The expression with a name in each group, as `(?P<` or `(?<` begin one."""
    first, *rest = APPENDIX_B.replace("(?:", "\0").split("(")
    groups = (f"{syntax}{name}>{behind}" for name, behind in zip(PARTS, rest, strict=True))
    return (first + "".join(groups)).replace("\0", "(?:")


def quoted(path):
    """As SQL writes a text."""
    return "'" + path.replace("\\", "\\\\").replace("'", "''") + "'"


def selects(table):
    return {"csv-uri": f"SELECT url FROM {table}", "csv-all": f"SELECT * FROM {table}"}


def codec_of(job):
    return "zstd" if job["task"] not in CODECS else job["task"]


# The programs. Each answers the function that does `task` and, for the task `memory`, another that counts the rows of
# its result and those with a host that is not empty. The time before they are called does not count.


def urimill(job, columns=("--columns", ",".join(["uri", *PARTS]))):
    def command(*options):
        return [job["binary"], "normalize", job["input"], *columns, "--threads", str(job["threads"]), *options]

    def run(*options, begins=command):
        # On failure its standard error has the sentence that says why.
        done = subprocess.run(begins("--progress", "never", "--force", *options), stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr.strip())

    if job["task"] in TABLES:
        options = {
            "dedupe": ["dedupe", job["input"], "--memory", MEMORY],
            "csv-uri": ["normalize", job["input"], "--uri-field", "url", "--keep", "none", "--columns", "uri"],
            "csv-all": ["normalize", job["input"], "--uri-field", "url", "--keep", "all", "--columns", "uri"],
        }[job["task"]]
        options += ["--threads", str(job["threads"]), "--to", "parquet", "--compression", "zstd", "-o", job["output"]]
        return lambda: run(begins=lambda *more: [job["binary"], *options, *more]), None

    def counted():
        from pyarrow import ipc

        stream = subprocess.Popen(command("--to", "arrow-stream"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        rows = hosts = 0
        for batch in ipc.open_stream(stream.stdout):
            rows, hosts = rows + batch.num_rows, hosts + nonempty(batch["host"])
        return rows, hosts

    if job["task"] == "memory":
        return lambda: run("--to", "arrow-stream", "-o", "/dev/null"), counted
    # The peers sort in memory, however much that takes.
    order = ["--sort-by", "uri", "--delta-texts", "--memory", "8G"] if job["task"] == "sorted" else []
    return lambda: run("--to", "parquet", "--compression", codec_of(job), *order, "-o", job["output"]), None


def clickhouse(job):
    from chdb import session

    database = session.Session()
    if job["task"] in TABLES:
        lines = f"file({quoted(job['input'])}, 'LineAsString')"
        table = f"file({quoted(job['input'])}, 'CSVWithNames')"
        distinct = f"SELECT line, count() AS records, min(rowNumberInAllBlocks()) FROM {lines} GROUP BY line"
        select = {"dedupe": distinct, **selects(table)}[job["task"]]
        # All fields are texts, as urimill keeps them.
        settings = f"SETTINGS max_threads = {job['threads']}, input_format_csv_use_best_effort_in_schema_inference = 0"
        codec = "output_format_parquet_compression_method = 'zstd', output_format_compression_level = 3"
        if job["task"] == "dedupe":
            settings += ", max_bytes_before_external_group_by = 256000000"
        database.query(f"SELECT count() FROM {lines} LIMIT 10")
        insert = f"INSERT INTO FUNCTION file({quoted(job['output'])}, 'Parquet') {select} {settings}, {codec}"
        return lambda: database.query(insert), None
    functions = ["protocol", "domain", "path", "queryString", "fragment"]
    columns = ", ".join(f"{function}(line) AS {name}" for function, name in zip(functions, PARTS))
    select = f"SELECT line AS uri, {columns} FROM file({quoted(job['input'])}, 'LineAsString')"
    # Reading ahead in a thread of its own is slower where there is but one.
    settings = f"SETTINGS max_threads = {job['threads']}, input_format_parallel_parsing = {int(job['threads'] > 1)}"
    database.query(f"{select} LIMIT 10 {settings}")
    if job["task"] == "memory":
        # Blocks go to the table as they are, not first joined to larger ones.
        unjoined = "min_insert_block_size_rows = 0, min_insert_block_size_bytes = 0"
        database.query("CREATE DATABASE bench")
        create = f"CREATE TABLE bench.uris ENGINE = Memory AS {select} {settings}, {unjoined}"
        count = "SELECT count(), countIf(host != '') FROM bench.uris"
        counted = lambda: map(int, str(database.query(count)).strip().split(","))
        return lambda: database.query(create), counted
    codec = f"output_format_parquet_compression_method = '{codec_of(job)}', output_format_compression_level = 3"
    order = "ORDER BY uri" if job["task"] == "sorted" else ""
    insert = f"INSERT INTO FUNCTION file({quoted(job['output'])}, 'Parquet') {select} {order} {settings}, {codec}"
    return lambda: database.query(insert), None


def duckdb(job):
    import duckdb

    database = duckdb.connect()
    database.execute(f"SET threads = {job['threads']}")
    # Without a directory of its own it would write to the one where the script was started.
    database.execute(f"SET temp_directory = {quoted(job['output'] + '.tmp')}")
    options = "quote = '', escape = '', header = false, auto_detect = false, columns = {'uri': 'VARCHAR'}"
    lines = f"read_csv({quoted(job['input'])}, delim = '{NO_DELIMITER}', {options})"
    if job["task"] in TABLES:
        table = f"read_csv({quoted(job['input'])}, all_varchar = true)"
        numbered = f"(SELECT uri, row_number() OVER () AS number FROM {lines})"
        distinct = f"SELECT uri, count(*) AS records, min(number) AS first FROM {numbered} GROUP BY uri"
        select = {"dedupe": distinct, **selects(table)}[job["task"]]
        if job["task"] == "dedupe":
            database.execute(f"SET memory_limit = '{MEMORY}B'")
            database.execute("SET preserve_insertion_order = false")
        database.execute(f"SELECT * FROM {lines} LIMIT 10").fetchall()
        codec = "zstd, COMPRESSION_LEVEL 3"
        copy = f"COPY ({select}) TO {quoted(job['output'])} (FORMAT parquet, COMPRESSION {codec})"
        return lambda: database.execute(copy), None
    parts = f"SELECT uri, regexp_extract(uri, '{APPENDIX_B}', {PARTS}) AS p FROM {lines}"
    select = f"SELECT uri, {', '.join(f'p.{name}' for name in PARTS)} FROM ({parts})"
    database.execute(f"{select} LIMIT 10").fetchall()
    if job["task"] == "memory":
        count = "SELECT count(*), count(*) FILTER (host != '') FROM uris"
        create = f"CREATE TEMP TABLE uris AS {select}"
        return lambda: database.execute(create), lambda: database.execute(count).fetchone()
    codec = {"zstd": "zstd, COMPRESSION_LEVEL 3", "none": "uncompressed"}.get(codec_of(job), job["task"])
    select += " ORDER BY uri" if job["task"] == "sorted" else ""
    copy = f"COPY ({select}) TO {quoted(job['output'])} (FORMAT parquet, COMPRESSION {codec})"
    return lambda: database.execute(copy), None


def polars(job):
    # Read when the library is loaded.
    os.environ["POLARS_MAX_THREADS"] = str(job["threads"])
    import polars

    table = polars.scan_lines(job["input"], name="uri")
    groups = polars.col("uri").str.extract_groups(named_groups("(?<"))
    table = table.with_columns(parts=groups).unnest("parts")
    table.head(10).collect(engine="streaming")
    if job["task"] == "memory":
        kept = []
        counted = lambda: (kept[0].height, kept[0].filter(polars.col("host") != "").height)
        return lambda: kept.append(table.collect(engine="streaming")), counted
    codec = "uncompressed" if job["task"] == "none" else codec_of(job)
    level = 3 if codec == "zstd" else None
    table = table.sort("uri") if job["task"] == "sorted" else table
    return lambda: table.sink_parquet(job["output"], compression=codec, compression_level=level), None


def pyarrow(job):
    import pyarrow
    from pyarrow import acero, compute, csv, dataset, parquet

    pyarrow.set_cpu_count(job["threads"])
    file_format = dataset.CsvFileFormat(
        csv.ParseOptions(delimiter=NO_DELIMITER, quote_char=False),
        convert_options=csv.ConvertOptions(column_types={"uri": pyarrow.string()}),
        read_options=csv.ReadOptions(column_names=["uri"]),
    )
    lines = dataset.dataset(job["input"], schema=pyarrow.schema({"uri": pyarrow.string()}), format=file_format)
    uri, groups = compute.field("uri"), compute.extract_regex(compute.field("uri"), pattern=named_groups("(?P<"))
    parts = [compute.field("parts", name) for name in PARTS]
    # In two steps: a struct's fields that are asked for one by one run the expression once each.
    plan = acero.Declaration.from_sequence([
        acero.Declaration("scan", acero.ScanNodeOptions(lines, columns=["uri"])),
        acero.Declaration("project", acero.ProjectNodeOptions([uri, groups], ["uri", "parts"])),
        acero.Declaration("project", acero.ProjectNodeOptions([uri, *parts], ["uri", *PARTS])),
    ])
    is_sorted = job["task"] == "sorted"
    if is_sorted:
        order = acero.Declaration("order_by", acero.OrderByNodeOptions([("uri", "ascending")]))
        plan = acero.Declaration.from_sequence([plan, order])
    parallel = job["threads"] > 1
    if job["task"] == "memory":
        kept = []
        counted = lambda: (kept[0].num_rows, nonempty(kept[0]["host"]))
        return lambda: kept.append(plan.to_table(use_threads=parallel)), counted

    def write():
        level = 3 if codec_of(job) == "zstd" else None
        batches = plan.to_reader(use_threads=parallel)
        texts = ["uri", "path", "query", "fragment"]
        delta = {"use_dictionary": ["scheme", "host"], "column_encoding": dict.fromkeys(texts, "DELTA_BYTE_ARRAY")}
        with parquet.ParquetWriter(
            job["output"],
            batches.schema,
            compression=codec_of(job),
            compression_level=level,
            **(delta if is_sorted else {}),
        ) as writer:
            for batch in batches:
                writer.write_batch(batch)

    return write, None


def sort(job):
    """GNU sort, by bytes: lines in order, or each once, as text."""
    unique = ["--unique"] if job["task"] == "dedupe" else []
    memory = MEMORY if job["task"] == "dedupe" else "8G"
    command = ["sort", *unique, f"--parallel={job['threads']}", f"--buffer-size={memory}", "-o", job["output"]]
    return lambda: subprocess.run([*command, job["input"]], env={**os.environ, "LC_ALL": "C"}, check=True), None


# name: (what runs it, its package, how the table calls it, its tasks)
PROGRAMS = {
    "urimill": (urimill, None, "urimill", SPLITS | TABLES),
    "urimill-table": (lambda job: urimill(job, ()), None, "urimill, default table", SPLITS),
    "clickhouse": (clickhouse, "chdb", "ClickHouse (chdb), URL functions", SPLITS | TABLES),
    "polars": (polars, "polars", "Polars, Appendix B", SPLITS),
    "pyarrow": (pyarrow, "pyarrow", "pyarrow, Appendix B", SPLITS),
    "duckdb": (duckdb, "duckdb", "DuckDB, Appendix B", SPLITS | TABLES),
    "sort": (sort, None, "GNU sort, text to text", {"sorted", "dedupe"}),
}


def nonempty(hosts):
    """How many hosts of a column are neither null nor empty."""
    from pyarrow import compute

    return compute.sum(compute.greater(compute.binary_length(hosts), 0)).as_py() or 0


def work(job):
    """One measurement, in a process of its own."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        # From the end of the list: the first one is the system's favourite.
        os.sched_setaffinity(0, processors[-job["threads"] :])
    run, counted = PROGRAMS[job["program"]][0](job)
    begun = time.perf_counter()
    run()
    if job["task"] != "memory":
        with open(job["output"], "rb+") as file:
            os.fsync(file.fileno())
    seconds = time.perf_counter() - begun
    is_peer = PROGRAMS[job["program"]][1] is not None
    memory = resource.getrusage(resource.RUSAGE_SELF if is_peer else resource.RUSAGE_CHILDREN).ru_maxrss
    size = hosts = None
    if job["task"] == "memory":
        rows, hosts = counted()
    elif job["program"] == "sort":
        rows, size = Path(job["output"]).read_bytes().count(b"\n"), os.path.getsize(job["output"])
    else:
        from pyarrow import parquet

        file = parquet.ParquetFile(job["output"])
        rows, size = file.metadata.num_rows, os.path.getsize(job["output"])
        if job["task"] in SPLITS:
            hosts = nonempty(file.read(columns=["host"])["host"])
        elif job["task"] == "csv-all" and len(file.schema_arrow) < CSV_COLUMNS:
            sys.exit(f"Error: {len(file.schema_arrow)} columns of {CSV_COLUMNS}")
    # KiB, but bytes on a Mac.
    peak = memory if platform.system() == "Darwin" else memory * 1024
    print(json.dumps({"seconds": seconds, "rows": rows, "hosts": hosts, "size": size, "peak": peak}))
    sys.stdout.flush()
    # Engines that are torn down by an interpreter on its way out can take long over it, or crash.
    os._exit(0)


if __name__ == "__main__":
    work(json.loads(sys.argv[1]))
