#!/usr/bin/env python3
"""Runs `docs/WAREHOUSES.md` as it stands.

Standard input is a JSON object with `document`, its path, and `binaries`, the folder of urimill's program. The working
directory has the inputs that the document begins with.

The word behind a fence tells what runs a block. `sh` runs in a shell. Behind `sql` stand the engines that run a
statement: what they answer must be the same rows from each. A block `python polars` is Polars'. A block `text` directly
behind one of these is what it answers, in columns as `table` lays them out. Spark's blocks run where pyspark is there.

The other warehouses cannot be had here: in their blocks each column of a CREATE statement must have the type that
belongs to its type in the Parquet file.
"""

import contextlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import traceback

sys.dont_write_bytecode = True
from engines import PyArrow  # noqa: E402

# What the classes of `engines.py` are called in CREATE statements.
TYPES = {
    "bigquery": {
        "text": "STRING",
        "int32": "INT64",
        "int64": "INT64",
        "time": "TIMESTAMP",
        "bytes": "BYTES",
        "params": "ARRAY<STRUCT<key STRING, value STRING>>",
        "segments": "ARRAY<STRUCT<segment INT64, key STRING, value STRING>>",
    },
    "snowflake": {
        "text": "VARCHAR",
        "int32": "INTEGER",
        "int64": "BIGINT",
        "time": "TIMESTAMP_LTZ(3)",
        "bytes": "BINARY",
        "params": "ARRAY",
        "segments": "ARRAY",
    },
    "athena": {
        "text": "string",
        "int32": "int",
        "int64": "bigint",
        "time": "timestamp",
        "bytes": "binary",
        "params": "array<struct<key:string,value:string>>",
        "segments": "array<struct<segment:int,key:string,value:string>>",
    },
}


def fences(document):
    """(words of the fence, code, line number) of each block, in order."""
    block, found = None, []
    for number, line in enumerate(document.splitlines(), 1):
        if not line.startswith("```"):
            if block is not None:
                block[1].append(line)
        elif block is None:
            block = (line[3:].split(), [], number)
        else:
            found.append((block[0], "\n".join(block[1]), block[2], number))
            block = None
    assert block is None, "a fence stays open"
    return found


def table(names, rows):
    """Rows under their names, numbers to the right."""
    shown = [["NULL" if value is None else str(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *shown)]
    right = [all(isinstance(row[at], int) for row in rows) and bool(rows) for at in range(len(names))]
    adjust = [str.rjust if is_number else str.ljust for is_number in right]
    lines = [[by(cell, width) for by, cell, width in zip(adjust, row, widths)] for row in [names, *shown]]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def statements(code):
    return [statement for statement in re.split(r";\s*(?:\n|$)", code) if statement.strip()]


class DuckDB:
    def __init__(self):
        import duckdb

        self.database = duckdb.connect()

    def run(self, statement):
        answer = self.database.execute(statement)
        return [name for name, *_ in answer.description or []], [list(row) for row in answer.fetchall()]


class ClickHouse:
    def __init__(self):
        from chdb import session

        self.database = session.Session()

    def run(self, statement):
        said = self.database.query(statement, "JSONCompact").bytes()
        if not said:
            return [], []
        answer = json.loads(said)
        # Whole numbers of 64 bits are texts in JSON unless a setting says otherwise, and a user has none.
        whole = ["Int64" in column["type"] for column in answer["meta"]]
        rows = [
            [int(value) if is_whole and value is not None else value for value, is_whole in zip(row, whole)]
            for row in answer["data"]
        ]
        return [column["name"] for column in answer["meta"]], rows


class Spark:
    def __init__(self):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.warehouse.dir", os.path.join(os.getcwd(), "spark"))
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")

    def run(self, statement):
        frame = self.session.sql(statement)
        return frame.columns, [list(row) for row in frame.collect()]


class Engines:
    """Each begun when it is asked for first."""

    kinds = {"duckdb": DuckDB, "clickhouse": ClickHouse, "spark": Spark}

    def __init__(self):
        self.begun, self.skipped = {}, 0
        self.polars = {}

    def answer(self, name, code):
        """Names and rows of the last statement; None where the engine is not there."""
        if name == "spark" and importlib.util.find_spec("pyspark") is None:
            self.skipped += 1
            return None
        if name not in self.begun:
            self.begun[name] = self.kinds[name]()
        for statement in statements(code):
            answer = self.begun[name].run(statement)
        # To a statement that makes something, some engines answer with a count.
        return ([], []) if statement.startswith("CREATE") else answer

    def python(self, code):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "docs/WAREHOUSES.md", "exec"), self.polars)
        return said.getvalue().rstrip()


def shell(code, binaries):
    with_urimill = os.environ | {"PATH": binaries + os.pathsep + os.environ["PATH"]}
    command = ["bash", "-euo", "pipefail", "-c", code]
    done = subprocess.run(command, env=with_urimill, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip()


def created(code):
    """The columns of a CREATE statement: lines of a name and a type between parentheses."""
    columns = re.findall(r'^ +[`"]?(\w+)[`"]? +(.+?),?$', code.split("(", 1)[1].split("\n)", 1)[0], re.MULTILINE)
    return {name: kind.removesuffix(" NOT NULL") for name, kind in columns}


def check_types(warehouse, code):
    """Column by column, in order, against the file that the document makes."""
    names = PyArrow().read("crawl.parquet", "parquet", {})
    expected = {name: TYPES[warehouse][kind] for name, (kind, _) in names.items()}
    found = created(code)
    assert list(found.items()) == list(expected.items()), f"{found}\nshould be\n{expected}"


def main():
    plan = json.load(sys.stdin)
    with open(plan["document"], encoding="utf-8") as file:
        blocks = fences(file.read())
    engines, wrong, counted = Engines(), [], {}
    behind = {end: (words, code) for words, code, start, _ in blocks for end in [start - 1, start - 2]}
    for words, code, start, end in blocks:
        said = []
        try:
            match words:
                case ["sh"]:
                    said.append(shell(code, plan["binaries"]))
                case ["python", "polars"]:
                    said.append(engines.python(code))
                case ["sql", *names] if set(names) <= set(Engines.kinds):
                    answers = [(name, engines.answer(name, code)) for name in names]
                    said = [table(*answer) for _, answer in answers if answer is not None]
                case ["sql", warehouse] if warehouse in TYPES:
                    if "record" in code and code.lstrip().startswith("CREATE"):
                        check_types(warehouse, code)
                case ["text"]:
                    pass
                case _:
                    raise AssertionError(f"nothing here runs {words}")
        except Exception:
            wrong.append(f"line {start}: {traceback.format_exc(limit=1)}")
            continue
        for name in words[1:] or words:
            counted[name] = counted.get(name, 0) + 1
        if len(set(said)) > 1:
            wrong.append(f"line {start}: {words[1:]} differ:\n" + "\n\n".join(said))
        followed = behind.get(end)
        if said and followed and followed[0] == ["text"] and followed[1] != said[0]:
            wrong.append(f"line {start}: the answer is now\n{said[0]}")
    print("\n".join(wrong))
    skipped = f"; skipped: {engines.skipped} for Spark, which is not there" if engines.skipped else ""
    print("ran " + ", ".join(f"{count} {name}" for name, count in sorted(counted.items())) + skipped)
    # Engines that are torn down by an interpreter on its way out can take long over it, or crash.
    sys.stdout.flush()
    os._exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
