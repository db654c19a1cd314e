#!/usr/bin/env python3
"""DuckDB's program as far as pages of the documentation use it: `duckdb -csv -c STATEMENT`."""

import csv
import sys

import duckdb

_, form, option, statement = sys.argv
assert (form, option) == ("-csv", "-c"), sys.argv
answer = duckdb.connect().execute(statement)
rows = csv.writer(sys.stdout, lineterminator="\n")
rows.writerow(name for name, *_ in answer.description)
rows.writerows(answer.fetchall())
