#!/usr/bin/env python3
"""Reads urimill's tables with readers that are not its own, and compares what they find.

Standard input is a JSON object: `flags`, the bit of each flag by name; `cases`, a list of tables with

- `name`; `truth`, the table as JSON Lines, which Python's own reader reads
- `declared`, the class of each column that urimill declares a type for; of others the Arrow file says it
- `line`, the command that made it
- `files`, a list of (format, path), and `rows`, how many there should be
- `filters`, whether rows are looked for by every column too

Of each column, as each engine reads it from each file, the class and all values in their order must be those of the
truth. Prints a line for each difference, then one that counts what was compared; the exit code is
1 where there was a difference.
"""

import datetime
import json
import sys
import urllib.parse

sys.dont_write_bytecode = True
from engines import ENGINES, PyArrow, partitions  # noqa: E402

UNTYPED = ("csv", "jsonl")


def milliseconds(text):
    moment = datetime.datetime.fromisoformat(text)
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return since // datetime.timedelta(milliseconds=1)


def class_in(format, name, kind):
    """What a column of class `kind` is in a file of a format."""
    if name == "flags" and format in UNTYPED:
        return "text" if format == "csv" else "texts"
    if kind == "bytes" and format in UNTYPED:
        return "text"
    return "text" if format == "csv" and kind in ("texts", "params", "segments") else kind


def json_text(params):
    return json.dumps(params, ensure_ascii=False, separators=(",", ":"))


class Truth:
    """The rows of the JSON Lines file, by column."""

    def __init__(self, case, flags):
        with open(case["truth"], encoding="utf-8", newline="\n") as file:
            rows = [json.loads(line) for line in file]
        self.rows, self.flags = len(rows), flags
        arrow = next((path for format, path in case["files"] if format == "arrow"), None)
        types = PyArrow().read(arrow, "arrow", {}) if arrow else {}
        self.classes = {name: kind for name, (kind, _) in types.items()} or {
            name: case["declared"].get(name, "text") for name in (rows[0] if rows else [])
        }
        self.undeclared = {
            name: (kind, case["declared"][name])
            for name, kind in self.classes.items()
            if case["declared"].get(name, kind) != kind
        }
        for row in rows:
            assert list(row) == list(self.classes), f"columns of {case['truth']}: {list(row)}"
        self.columns = {name: [row[name] for row in rows] for name in self.classes}
        for name, kind in self.classes.items():
            if kind == "time":
                self.columns[name] = [value and milliseconds(value) for value in self.columns[name]]

    def values(self, name, format):
        """The values of a column as a reader of a format should find them."""
        values, kind = self.columns[name], self.classes[name]
        if name == "flags" and format == "csv":
            return ["|".join(value) for value in values]
        if name == "flags" and format != "jsonl":
            return [sum(self.flags[flag] for flag in value) for value in values]
        if format == "csv" and kind == "texts":
            return [value if value is None else "|".join(value) for value in values]
        if format == "csv" and kind in ("params", "segments"):
            return [value if value is None else json_text(value) for value in values]
        return values


def difference(found, expected):
    """The first row that differs, in words."""
    for row, (is_, ought) in enumerate(zip(found, expected)):
        if is_ != ought:
            return f"row {row}: {is_!r:.200} for {ought!r:.200}"
    return f"{len(found)} rows for {len(expected)}"


# A null in the name of a directory, which ClickHouse takes for a text.
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


def of_directory(columns, path, are_escaped=False):
    """Columns as they can be compared where they come from a directory.

    Rows are sorted, because its files come in any order. Values that stand in names are texts, and empty ones null,
    because a name cannot tell them apart. `are_escaped` says that an engine gives names as they are spelled.
    """
    named = partitions(path)
    plain = urllib.parse.unquote if are_escaped else str
    columns = {
        name: ("text", [None if value in (None, "", NULL_PARTITION) else plain(str(value)) for value in values])
        if name in named
        else (kind, values)
        for name, (kind, values) in columns.items()
    }
    # What sorts alike, whatever an engine makes of null lists.
    keys = [[json.dumps(value) for value in values] for kind, values in columns.values() if kind in ("text", "int64")]
    keys = list(zip(*keys))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return {name: (kind, [values[row] for row in order]) for name, (kind, values) in columns.items()}


def compare(case, truth, engines):
    """(columns compared, differences) of all files of a case."""
    compared, wrong = 0, []
    for name, (found, declared) in truth.undeclared.items():
        wrong.append(f"{case['name']}: {name} is {found} and declared as {declared}")
    for format, path in case["files"]:
        classes = {name: class_in(format, name, kind) for name, kind in truth.classes.items()}
        expected = {name: (kind, truth.values(name, format)) for name, kind in classes.items()}
        if format == "hive":
            expected = of_directory(expected, path)
        for engine_name, engine in engines.items():
            if format not in engine.formats:
                continue
            where = f"{case['name']}, {format} ({path}) by {engine_name}"
            try:
                found = engine.read(path, format, classes)
            except Exception as error:
                wrong.append(f"{where}: {str(error).strip()[:500]}")
                continue
            # A directory has the columns of its names behind the others.
            if set(found) != set(expected) or (format != "hive" and list(found) != list(expected)):
                wrong.append(f"{where}: columns {list(found)} for {list(expected)}")
                continue
            if format == "hive":
                found = of_directory(found, path, getattr(engine, "names_stay_escaped", False))
            for name, (kind, values) in expected.items():
                if getattr(engine, "lists_are_never_null", False) and kind in ("texts", "params", "segments"):
                    values = [value or [] for value in values]
                compared += 1
                if found[name] != (kind, values):
                    is_kind, is_values = found[name]
                    of = difference(is_values, values) if is_kind == kind else f"{is_kind} for {kind}"
                    wrong.append(f"{where}: {name}: {of}")
    return compared, wrong


def probes(truth, name):
    """Filters that a column is tried with: (operation, value, rows that it leaves)."""
    values = truth.values(name, "parquet")
    by_bytes = lambda value: value.encode() if isinstance(value, str) else value
    present = sorted({value for value in values if value is not None}, key=by_bytes)
    yield "null", None, values.count(None)
    if not present:
        return
    middle = present[len(present) // 2]
    picked = {present[0], present[-1], middle, max(present, key=lambda value: len(str(value)))}
    # Values that no row has, beside those that rows have.
    absent = [value + "\x7f" if isinstance(value, str) else value + 1 for value in (middle, present[-1])]
    for value in [*sorted(picked), *absent]:
        yield "=", value, values.count(value)
    if not isinstance(middle, str):
        yield ">", middle, sum(value is not None and value > middle for value in values)


def filter_rows(case, truth, engines):
    """(filters tried, differences): every engine finds the rows that are there, whatever it skips."""
    tried, wrong = 0, []
    files = [path for format, path in case["files"] if format == "parquet"]
    names = [name for name, kind in truth.classes.items() if kind in ("text", "int16", "int32", "int64")]
    for path in files[:1]:
        for name in names:
            for operation, value, expected in probes(truth, name):
                for engine_name, engine in engines.items():
                    where = f"{case['name']}: {name} {operation} {value!r} in {path} by {engine_name}"
                    tried += 1
                    try:
                        found = engine.count(path, name, operation, value)
                    except Exception as error:
                        wrong.append(f"{where}: {str(error).strip()[:500]}")
                        continue
                    if found != expected:
                        wrong.append(f"{where}: {found} rows for {expected}")
    return tried, wrong


def statistics(case, truth, engines):
    """(facts, differences): the statistics of the first Parquet file hold, and let readers skip row groups."""
    path = next(path for format, path in case["files"] if format == "parquet")
    pyarrow, clickhouse = engines["pyarrow"], engines["clickhouse"]
    metadata = pyarrow.parquet.read_metadata(path)
    facts, wrong = 0, []
    first = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for at in range(group.num_columns):
            column = group.column(at)
            name = column.path_in_schema
            if not column.has_offset_index:
                wrong.append(f"{case['name']}: no offset index of {name} in row group {number}")
            if name not in truth.classes or not column.is_stats_set:
                continue
            values = truth.values(name, "parquet")[first : first + group.num_rows]
            present = [value for value in values if value is not None]
            stats = column.statistics
            facts += 1
            if not column.has_column_index:
                wrong.append(f"{case['name']}: no column index of {name} in row group {number}")
            if stats.null_count != len(values) - len(present):
                wrong.append(f"{case['name']}: {name}, row group {number}: {stats.null_count} nulls by its statistics")
            if present and stats.has_min_max and truth.classes[name] == "text":
                # Cut ones are bounds still.
                present = [value.encode() for value in present]
                if not stats.min.encode() <= min(present) or not stats.max.encode() >= max(present):
                    wrong.append(f"{case['name']}: {name}, row group {number}: {stats.min!r} to {stats.max!r}")
        first += group.num_rows
    # Whether rows stand in the order of the log or of a key, one of the two lets readers skip most.
    fragment = next(pyarrow.dataset.dataset(path).get_fragments())
    groups, rows = [], []
    for name in ("record", "surt"):
        greatest = max(value for value in truth.columns[name] if value is not None)
        groups.append(len(fragment.split_by_row_group(pyarrow.condition(name, "=", greatest))))
        rows.append(clickhouse.filtered(path, name, "=", greatest)[1])
        facts += 2
    if not 0 < min(groups) <= metadata.num_row_groups // 2 or not 0 < min(rows) <= truth.rows // 2:
        wrong.append(f"{case['name']}: row groups left to pyarrow, rows that ClickHouse reads: {groups}, {rows}")
    return facts, wrong


def order(case, truth, engines):
    """(keys, differences): rows stand in the order that the first Parquet file of a sorted table declares."""
    if "--sort-by" not in case["line"]:
        return 0, []
    path = next(path for format, path in case["files"] if format == "parquet")
    metadata = engines["pyarrow"].parquet.read_metadata(path)
    found, first = 0, 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for row in range(first + 1, first + group.num_rows):
            for key in group.sorting_columns:
                name = metadata.schema.column(key.column_index).path
                # Nulls stand behind all values.
                before, behind = ((v is None, v.encode() if isinstance(v, str) else v) for v in truth.columns[name][row - 1 : row + 1])
                if before == behind:
                    continue
                in_order = before[0] < behind[0] if before[0] != behind[0] else (before[1] < behind[1]) != key.descending
                if not in_order:
                    return found, [f"{case['name']}: row {row} stands before what {name} declares"]
                break
        found += len(group.sorting_columns)
        first += group.num_rows
    return found, [] if found else [f"{case['name']}: {path} declares no order"]


def main():
    plan = json.load(sys.stdin)
    engines = {name: engine() for name, engine in ENGINES.items()}
    columns = filters = facts = 0
    wrong = []
    for case in plan["cases"]:
        truth = Truth(case, plan["flags"])
        if truth.rows != case["rows"]:
            wrong.append(f"{case['name']}: {truth.rows} rows in the JSON Lines file, {case['rows']} by the summary")
        compared, differences = compare(case, truth, engines)
        columns, wrong = columns + compared, wrong + differences
        found, differences = order(case, truth, engines)
        facts, wrong = facts + found, wrong + differences
        if case["filters"]:
            tried, differences = filter_rows(case, truth, engines)
            filters, wrong = filters + tried, wrong + differences
            found, differences = statistics(case, truth, engines)
            facts, wrong = facts + found, wrong + differences
    for line in wrong:
        print(line)
    print(f"{len(plan['cases'])} tables, {columns} columns, {filters} filters, {facts} statistics compared")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
