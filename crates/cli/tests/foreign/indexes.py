"""Compares `urimill index` with the indexers of cdxj-indexer and pywb, line for line, on the archives that pywb brings
as samples; has pywb replay pages by indexes that urimill made."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import duckdb
import pyarrow.parquet

# Of damaged archives the tools index what cannot be read, or nothing.
EXCEPTIONS = {
    "bad.arc": "records whose length is -1 or abc: urimill calls them damaged, the tools take them for empty",
    "missing-status-text.warc": "its record is longer than the file: urimill leaves it out",
    "example-bad.warc.gz.bad": "a record in a file that is compressed as a whole: the tools stop there",
}

plan = json.load(sys.stdin)
samples = sorted((pathlib.Path(sys.prefix) / "sample_archive" / "warcs").iterdir())
assert len(samples) > 15, samples


def said(*command):
    return subprocess.run(command, capture_output=True, check=False).stdout.decode()


def indexed(path, *options):
    return said(plan["urimill"], "index", str(path), "--on-damage", "skip", "--summary", "none", *options)


def cdxj_indexer(path, form):
    options = {"cdxj": [], "cdx": ["-11"], "cdx9": ["-9"]}[form]
    return said(sys.executable, "-m", "cdxj_indexer.main", "-s", *options, str(path))


def pywb(path, form):
    options = {"cdxj": ["-j", "-p"], "cdx": ["-p"], "cdx9": ["-9", "-p"]}[form]
    code = "import sys; from pywb.indexer.cdxindexer import main; main(sys.argv[1:])"
    return said(sys.executable, "-c", code, "-s", *options, str(path))


compared, differing, equal = 0, set(), set()
for path in samples:
    for tool, peer in [("cdxj-indexer", cdxj_indexer), ("pywb", pywb)]:
        for form in ["cdxj", "cdx", "cdx9"]:
            # With bodies of requests cdxj-indexer takes payloads for empty that have no digest: see below.
            options = ["--no-post"] if tool == "cdxj-indexer" else []
            own, theirs = indexed(path, "--like", tool, "--to", form, *options), peer(path, form)
            if own == theirs:
                compared += len(own.splitlines())
                equal.add(path.name)
            else:
                differing.add(path.name)
                if path.name not in EXCEPTIONS:
                    raise SystemExit(f"{path.name}, {tool}, {form}:\n{own}\nand not\n{theirs}")
for name in EXCEPTIONS:
    if name not in differing:
        print(f"{name} is equal to both now: drop the exception")
        sys.exit(1)

# The bodies of requests.
path = samples[0].with_name("post-test.warc.gz")
theirs = said(sys.executable, "-m", "cdxj_indexer.main", "-s", "-p", str(path))
assert indexed(path) == theirs and theirs.count('"requestBody"') == 3, theirs

# All of them that urimill takes in one index, and in blocks: of a file that is compressed as a whole the first record alone
# can be read by itself.
refused = "example-bad.warc.gz.bad"
assert len(indexed(samples[0].with_name(refused)).splitlines()) <= 1
samples = [path for path in samples if path.name != refused]
plain = ["--on-damage", "skip", "--summary", "none", "--no-post"]
whole = said(plan["urimill"], "index", *map(str, samples), *plain).splitlines()
assert whole == sorted(set(whole)) and len(whole) > 200, len(whole)
# In a WACZ file the archives have the lines that cdxj-indexer makes of them alone.
parts = [path for path in samples if path.name.endswith((".warc", ".warc.gz")) and path.name not in EXCEPTIONS]
with zipfile.ZipFile("all.wacz", "w") as wacz:
    for path in parts:
        wacz.write(path, f"archive/{path.name}")
alone = {line for path in parts for line in cdxj_indexer(path, "cdxj").splitlines()}
assert indexed("all.wacz", "--no-post").splitlines() == sorted(alone) and len(alone) > 200, len(alone)

zipnum = [plan["urimill"], "index", *map(str, samples), *plain, "--to", "zipnum"]
subprocess.run([*zipnum, "--shards", "3", "--block-lines", "20", "-o", "blocks/"], check=False)
found, parts = [], dict(line.split("\t") for line in open("blocks/cdx.loc").read().splitlines())
for number, line in enumerate(open("blocks/cdx.idx").read().splitlines(), 1):
    first, part, offset, length, own = line.split("\t")
    block = (pathlib.Path("blocks") / parts[part]).read_bytes()[int(offset) :][: int(length)]
    lines = gzip.decompress(block).decode().splitlines()
    assert lines[0].startswith(first + " ") and int(own) == number, line
    found += lines
assert found == whole and len(parts) == 3, (len(found), len(whole), parts)

# As a table: the same members in the same order.
table = [plan["urimill"], "index", *map(str, samples), *plain, "-o", "i.parquet"]
subprocess.run(table, check=False)
rows = pyarrow.parquet.read_table("i.parquet").drop_columns(["time", "redirect"]).to_pylist()
assert len(rows) == len(whole)
for row, line in zip(rows, whole):
    key, time, members = line.split(" ", 2)
    found = {name.replace("_", "-"): str(value) for name, value in row.items() if value is not None}
    expected = {name: value for name, value in json.loads(members).items() if (name, value) != ("status", "")}
    assert found == {"urlkey": key, "timestamp": time, **expected}, (found, line)
query = "select count(*), count(distinct urlkey), count(time) from 'i.parquet' where status = 200"
records, keys, times = duckdb.connect().execute(query).fetchone()
assert records == times > keys > 20, (records, keys, times)

# Replay: pywb looks a page up in the index, and reads it from the archive.
archive = pathlib.Path("collections/own/archive")
archive.mkdir(parents=True)
index = pathlib.Path("collections/own/indexes")
index.mkdir()
for name in ["iana.warc.gz", "example.warc.gz", "example.arc.gz", "post-test.warc.gz"]:
    shutil.copy(pathlib.Path(sys.prefix) / "sample_archive" / "warcs" / name, archive)
command = [plan["urimill"], "index", *map(str, sorted(archive.iterdir())), "--like", "pywb", "--summary", "none"]
subprocess.run([*command, "-o", str(index / "index.cdxj")], check=True)

from gevent import monkey  # noqa: E402

monkey.patch_all()
from pywb.apps.frontendapp import FrontEndApp  # noqa: E402
from werkzeug.test import Client  # noqa: E402

client = Client(FrontEndApp(custom_config={"debug": True}))
replayed = 0
for line in (index / "index.cdxj").read_text().splitlines():
    key, time, fields = line.split(" ", 2)
    fields = json.loads(fields)
    if fields.get("status") != "200" or not fields["mime"].startswith("text/html"):
        continue
    answer = client.get(f"/own/{time}id_/{fields['url']}", follow_redirects=True)
    assert answer.status_code == 200 and b"<html" in answer.data.lower(), (line, answer.status, answer.data[:300])
    replayed += 1
assert replayed > 15, replayed
# Each body has its own answer.
for body, said_body in [("foo=bar&test=abc", b'"test": "abc"'), ("A=1&B=[]&C=3", b'"C": "3"')]:
    kind = "application/x-www-form-urlencoded"
    answer = client.post("/own/2014mp_/http://httpbin.org/post", data=body, content_type=kind, follow_redirects=True)
    assert answer.status_code == 200 and said_body in answer.data, (body, answer.status, answer.data[:300])
    replayed += 1
print(f"{compared} lines of {len(equal)} archives are equal; {replayed} pages replayed")
os._exit(0)
