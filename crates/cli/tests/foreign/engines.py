"""Four programs that read tables, each brought to the same answers.

An engine says in which `formats` it reads files, and has two methods:

- `read(path, format, columns)` answers {name: (class, values)} of a file. `columns` is {name: class}, by which files
  without types (CSV, JSON Lines) are read. A class is one of CLASSES, or what the engine calls a type beside these.
- `count(path, column, operation, value)` answers how many rows of a Parquet file a filter leaves, as the engine prunes
  and filters. `operation` is `=`, `>` or `null`.

Values are Python's: int, str, None; milliseconds since 1970 for `time`; hexadecimal digits for `bytes`; lists of str;
for `params` lists of {"key": …, "value": …}, for `segments` the same with a number `segment` before these. A directory is read as one with hive partitions.
"""

import glob
import json
import os

# Bytes that the longest row of a text file comes to, at most.
BLOCK = 1 << 25
CLASSES = ["text", "int16", "int32", "int64", "bool", "float64", "time", "bytes", "texts", "params", "segments"]


def partitions(path):
    """The columns in the names of a directory's directories, whose types each engine guesses in its own way."""
    names = glob.glob("**/*=*/", root_dir=path, recursive=True)
    return {part.split("=")[0] for name in names for part in name.split(os.sep) if "=" in part}


class PyArrow:
    formats = ["parquet", "arrow", "arrow-stream", "csv", "jsonl", "hive"]

    def __init__(self):
        import pyarrow
        from pyarrow import compute, csv, dataset, ipc, json as jsonl, parquet

        self.pa, self.compute, self.csv, self.dataset, self.ipc = pyarrow, compute, csv, dataset, ipc
        self.jsonl, self.parquet = jsonl, parquet
        text = pyarrow.string()
        self.types = {
            "text": text,
            "int16": pyarrow.int16(),
            "int32": pyarrow.int32(),
            "int64": pyarrow.int64(),
            "bool": pyarrow.bool_(),
            "float64": pyarrow.float64(),
            "time": pyarrow.timestamp("ms", "UTC"),
            "bytes": pyarrow.binary(),
            "texts": pyarrow.list_(text),
            "params": pyarrow.list_(pyarrow.struct({"key": text, "value": text})),
            "segments": pyarrow.list_(pyarrow.struct({"segment": pyarrow.int32(), "key": text, "value": text})),
        }

    def table(self, path, format, columns):
        if format == "parquet":
            return self.parquet.read_table(path)
        if format == "hive":
            return self.dataset.dataset(path, format="parquet", partitioning="hive").to_table()
        if format == "arrow":
            return self.ipc.open_file(path).read_all()
        if format == "arrow-stream":
            with open(path, "rb") as file:
                return self.ipc.open_stream(file).read_all()
        types = {name: self.types[kind] for name, kind in columns.items()}
        if format == "csv":
            options = self.csv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
            )
            # A row has to fit into a block.
            blocks = self.csv.ReadOptions(block_size=BLOCK)
            # Of one column a blank line is a null.
            parse = self.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(columns) > 1)
            return self.csv.read_csv(path, blocks, parse, options)
        if os.path.getsize(path) == 0:
            # It takes an empty file for a broken one.
            return self.pa.schema(types).empty_table()
        options = self.jsonl.ParseOptions(explicit_schema=self.pa.schema(types), unexpected_field_behavior="error")
        blocks = self.jsonl.ReadOptions(block_size=BLOCK)
        return self.jsonl.read_json(path, parse_options=options, read_options=blocks)

    def classify(self, type):
        for kind, known in self.types.items():
            if type == known:
                return kind
        types = self.pa.types
        if types.is_list(type) and types.is_string(type.value_type):
            return "texts"
        if types.is_list(type) and types.is_struct(type.value_type):
            names = [f.name for f in type.value_type]
            if names == ["segment", "key", "value"] and type.value_type.field("segment").type == self.types["int32"]:
                return "segments"
            return "params" if names == ["key", "value"] else str(type)
        # Partitions come as dictionaries.
        return self.classify(type.value_type) if types.is_dictionary(type) else str(type)

    def read(self, path, format, columns):
        table = self.table(path, format, columns)
        found = {}
        for name, column in zip(table.column_names, table.columns):
            kind = self.classify(column.type)
            if kind == "time":
                column = column.cast(self.pa.int64())
            values = column.to_pylist()
            if kind == "bytes":
                values = [value if value is None else value.hex() for value in values]
            found[name] = (kind, values)
        return found

    def condition(self, column, operation, value):
        field = self.compute.field(column)
        if operation == "null":
            return field.is_null()
        return field == value if operation == "=" else field > value

    def count(self, path, column, operation, value):
        return self.dataset.dataset(path).count_rows(filter=self.condition(column, operation, value))


class DuckDB:
    # Arrow files take an extension, which has to be fetched.
    formats = ["parquet", "csv", "jsonl", "hive"]
    types = {
        "text": "VARCHAR",
        "int16": "SMALLINT",
        "int32": "INTEGER",
        "int64": "BIGINT",
        "bool": "BOOLEAN",
        "float64": "DOUBLE",
        "time": "TIMESTAMP WITH TIME ZONE",
        "bytes": "BLOB",
        "texts": "VARCHAR[]",
        "params": 'STRUCT("key" VARCHAR, "value" VARCHAR)[]',
        "segments": 'STRUCT(segment INTEGER, "key" VARCHAR, "value" VARCHAR)[]',
    }
    shown = {"time": "epoch_ms({})", "bytes": "lower(hex({}))"}

    def __init__(self):
        import duckdb

        self.database = duckdb.connect()
        self.database.execute("SET TimeZone = 'UTC'")

    def source(self, path, format, columns):
        path = path.replace("'", "''")
        if format == "parquet":
            return f"read_parquet('{path}')"
        if format == "hive":
            return f"read_parquet('{path}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
        types = ", ".join(f"'{name}': '{self.types[kind]}'" for name, kind in columns.items())
        if format == "csv":
            options = "header = true, auto_detect = false, quote = '\"', escape = '\"', allow_quoted_nulls = false"
            return f"read_csv('{path}', {options}, max_line_size = {BLOCK}, columns = {{{types}}})"
        size = f"maximum_object_size = {BLOCK}"
        return f"read_json('{path}', format = 'newline_delimited', {size}, columns = {{{types}}})"

    def read(self, path, format, columns):
        source = self.source(path, format, columns)
        described = self.database.execute(f"DESCRIBE FROM {source}").fetchall()
        kinds = {known: kind for kind, known in self.types.items()}
        kinds = {name: kinds.get(type, type) for name, type, *_ in described}
        picked = ", ".join(self.shown.get(kind, "{}").format(f'"{name}"') for name, kind in kinds.items())
        rows = self.database.execute(f"SELECT {picked} FROM {source}").fetchall()
        values = zip(*rows) if rows else ([] for _ in kinds)
        return {name: (kind, list(column)) for (name, kind), column in zip(kinds.items(), values, strict=True)}

    def count(self, path, column, operation, value):
        where, values = (f'"{column}" IS NULL', []) if operation == "null" else (f'"{column}" {operation} ?', [value])
        path = path.replace("'", "''")
        return self.database.execute(f"SELECT count(*) FROM '{path}' WHERE {where}", values).fetchone()[0]


class Polars:
    formats = ["parquet", "arrow", "arrow-stream", "csv", "jsonl", "hive"]

    def __init__(self):
        import polars

        self.pl = polars
        self.types = {
            "text": polars.String,
            "int16": polars.Int16,
            "int32": polars.Int32,
            "int64": polars.Int64,
            "bool": polars.Boolean,
            "float64": polars.Float64,
            "time": polars.Datetime("ms", "UTC"),
            "bytes": polars.Binary,
            "texts": polars.List(polars.String),
            "params": polars.List(polars.Struct({"key": polars.String, "value": polars.String})),
            "segments": polars.List(
                polars.Struct({"segment": polars.Int32, "key": polars.String, "value": polars.String})
            ),
        }

    def frame(self, path, format, columns):
        pl = self.pl
        if format == "parquet":
            return pl.read_parquet(path)
        if format == "hive":
            return pl.scan_parquet(f"{path}/**/*.parquet", hive_partitioning=True, try_parse_hive_dates=False).collect()
        if format == "arrow":
            return pl.read_ipc(path)
        if format == "arrow-stream":
            return pl.read_ipc_stream(path)
        # In text it knows neither moments with a zone nor numbers of 16 bits: they are something else first.
        known = {"time": "text", "int16": "int32"}
        types = {name: self.types[known.get(kind, kind)] for name, kind in columns.items()}
        moments, short = ([name for name, of in columns.items() if of == kind] for kind in known)
        if format == "csv":
            frame = pl.read_csv(path, schema=types)
        elif os.path.getsize(path) == 0:
            frame = pl.DataFrame(schema=types)
        else:
            frame = pl.read_ndjson(path, schema=types)
        moments = pl.col(moments).str.to_datetime(time_unit="ms", time_zone="UTC")
        return frame.with_columns(moments, pl.col(short).cast(pl.Int16))

    def read(self, path, format, columns):
        frame = self.frame(path, format, columns)
        kinds = {repr(known): kind for kind, known in self.types.items()}
        found = {}
        for column in frame:
            kind = kinds.get(repr(column.dtype), str(column.dtype))
            if kind == "time":
                column = column.dt.epoch("ms")
            values = column.to_list()
            if kind == "bytes":
                values = [value if value is None else value.hex() for value in values]
            found[column.name] = (kind, values)
        return found

    def count(self, path, column, operation, value):
        column = self.pl.col(column)
        by = {"null": lambda: column.is_null(), "=": lambda: column == value, ">": lambda: column > value}
        return self.pl.scan_parquet(path).filter(by[operation]()).select(self.pl.len()).collect().item()


class ClickHouse:
    formats = ["parquet", "arrow", "arrow-stream", "csv", "jsonl", "hive"]
    names = {"parquet": "Parquet", "arrow": "Arrow", "arrow-stream": "ArrowStream", "csv": "CSVWithNames"}
    names |= {"jsonl": "JSONEachRow", "hive": "Parquet"}
    types = {
        "text": "String",
        "int16": "Int16",
        "int32": "Int32",
        "int64": "Int64",
        "bool": "Bool",
        "float64": "Float64",
        "time": "DateTime64(3, 'UTC')",
        "texts": "Array(String)",
        "params": "Array(Tuple(key String, value Nullable(String)))",
        "segments": "Array(Tuple(segment Int32, key String, value Nullable(String)))",
    }
    # It has one type for both.
    types["bytes"] = types["text"]
    # What it cannot hold, as `readers.py` then expects it.
    lists_are_never_null = True
    # In the names of directories.
    names_stay_escaped = True
    shown = {"time": "toUnixTimestamp64Milli({})", "bytes": "lower(hex({}))"}
    settings = (
        "SETTINGS output_format_json_quote_64bit_integers = 0, date_time_input_format = 'best_effort', "
        "input_format_csv_empty_as_default = 1, use_hive_partitioning = 1, "
        # It reads row groups as they come.
        "max_threads = 1, input_format_parquet_preserve_order = 1"
    )

    def __init__(self):
        from chdb import session

        self.database = session.Session()

    @staticmethod
    def nullable(kind):
        return kind if kind.startswith("Array") else f"Nullable({kind})"

    def ask(self, query):
        return json.loads(self.database.query(f"{query} {self.settings}", "JSONCompact").bytes())

    def source(self, path, format, columns):
        path_as_given = path
        path = path.replace("\\", "\\\\").replace("'", "\\'")
        if format == "hive":
            path += "/**/*.parquet"
        arguments = [f"'{path}'", self.names[format]]
        kinds = columns if format in ("csv", "jsonl") else {}
        if format == "hive":
            # It takes the type of a directory's column from whichever name it meets first, and then refuses the others:
            # `port=__HIVE_DEFAULT_PARTITION__` behind `port=80`.
            folders = "/".join(os.path.relpath(folder, path_as_given) for folder, _, _ in os.walk(path_as_given))
            named = {part.partition("=")[0] for part in folders.split("/") if "=" in part}
            kinds = {name: "text" if name in named else kind for name, kind in columns.items()}
        if kinds:
            types = ", ".join(f"`{name}` {self.nullable(self.types[kind])}" for name, kind in kinds.items())
            arguments.append("'" + types.replace("'", "\\'") + "'")
        return f"file({', '.join(arguments)})"

    def read(self, path, format, columns):
        source = self.source(path, format, columns)
        described = self.ask(f"DESCRIBE {source}")["data"]
        kinds = {}
        for name, type, *_ in described:
            type = " ".join(type.split()).replace("Tuple( ", "Tuple(").removeprefix("LowCardinality(")
            bare = type.removeprefix("Nullable(")
            known = (kind for kind, known in self.types.items() if bare.rstrip(")") == known.rstrip(")"))
            kind = next(known, type)
            kinds[name] = columns[name] if (kind, columns.get(name)) == ("text", "bytes") else kind
        picked = ", ".join(self.shown.get(kind, "{}").format(f"`{name}`") for name, kind in kinds.items())
        rows = self.ask(f"SELECT {picked} FROM {source}")["data"]
        values = zip(*rows) if rows else ([] for _ in kinds)
        return {name: (kind, list(column)) for (name, kind), column in zip(kinds.items(), values, strict=True)}

    def filtered(self, path, column, operation, value):
        """How many rows a filter leaves, and how many had to be read for that."""
        if isinstance(value, str):
            value = f"unhex('{value.encode().hex()}')"
        where = f"isNull(`{column}`)" if operation == "null" else f"`{column}` {operation} {value}"
        answer = self.ask(f"SELECT count() FROM {self.source(path, 'parquet', {})} WHERE {where}")
        return answer["data"][0][0], answer["statistics"]["rows_read"]

    def count(self, path, column, operation, value):
        return self.filtered(path, column, operation, value)[0]


ENGINES = {"pyarrow": PyArrow, "duckdb": DuckDB, "polars": Polars, "clickhouse": ClickHouse}
