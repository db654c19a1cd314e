#!/usr/bin/env python3
"""Links of a WARC of real pages: urimill beside FastWARC with selectolax, one thread each, processor time, in turns.

    benches/links.py FOLDER [--runs N] [--program target/release/urimill]

FOLDER has HTML files, which become the responses of one WARC. The peer resolves href and src alone by urllib and keeps
its rows in a list; urimill writes all references with all columns, as an Arrow stream to /dev/null, which is beside that,
and to Parquet. Needs fastwarc, selectolax and warcio
(pip)."""

import argparse
import io
import pathlib
import resource
import subprocess
import tempfile
import time
from urllib.parse import urljoin

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


def archive(folder, path):
    """One WARC, not compressed, of all pages below a folder."""
    with open(path, "wb") as out:
        writer = WARCWriter(out, gzip=False)
        for number, page in enumerate(sorted(folder.rglob("*.htm*"))):
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            uri = f"http://example{number % 300}.com/dir/page.html"
            payload = io.BytesIO(page.read_bytes())
            writer.write_record(writer.create_warc_record(uri, "response", payload=payload, http_headers=headers))


def peer(path):
    """Processor time in seconds, and how many rows there are."""
    begun, rows = time.process_time(), []
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            uri = record.headers.get("WARC-Target-URI")
            tree = LexborHTMLParser(record.reader.read())
            base = tree.css_first("base[href]")
            base = urljoin(uri, base.attributes.get("href") or "") if base else uri
            for node in tree.css("[href],[src]"):
                attributes = node.attributes
                for name in ("href", "src"):
                    value = attributes.get(name)
                    if value is None:
                        continue
                    try:
                        target = urljoin(base, value.strip())
                    except ValueError:
                        target = None
                    words = node.text() if node.tag == "a" else None
                    rows.append((uri, base, target, node.tag, name, attributes.get("rel"), words))
    return time.process_time() - begun, len(rows)


def ours(program, path, *output):
    """Processor time of the program in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open("/dev/null", "wb") as null:
        line = [program, "links", path, "--threads", "1", "--summary", "none", *output]
        subprocess.run(line, check=True, stdout=null)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--program", default="target/release/urimill")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/pages.warc"
        outputs = {"Arrow": ("--to", "arrow"), "Parquet": ("-o", f"{folder}/links.parquet", "--force")}
        archive(arguments.folder, path)
        size = pathlib.Path(path).stat().st_size
        theirs, own = [], {name: [] for name in outputs}
        for _ in range(arguments.runs):
            seconds, rows = peer(path)
            theirs.append(seconds)
            for name, output in outputs.items():
                own[name].append(ours(arguments.program, path, *output))
        print(f"{size / 1e6:.0f} MB, FastWARC and selectolax: {min(theirs):.2f} s, {rows} links")
        for name, seconds in own.items():
            rate = size / min(seconds) / 1e6
            print(f"urimill to {name}: {min(seconds):.2f} s, {rate:.0f} MB/s, ratio {min(theirs) / min(seconds):.2f}")


main()
