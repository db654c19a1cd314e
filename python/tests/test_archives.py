"""Web archives: their index, lookups in it, and the links between the hosts of their pages. The command line
and Python give the same."""

import gzip
import json
import os
import subprocess

import pyarrow.parquet
import pytest

import urimill


def record(uri, time, body, status="200 OK"):
    """A response as it is stored in a WARC file."""
    block = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{body}"
    head = ["WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {uri}", f"WARC-Date: {time}"]
    head += ["Content-Type: application/http; msgtype=response", f"Content-Length: {len(block)}"]
    return "\r\n".join([*head, "", block, "", ""]).encode()


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    pages = [
        ("http://www.example.com/b", "2025-03-01T00:00:00Z", "<a href=//example.org/a></a><a href=/c></a>"),
        ("http://example.com/a", "2026-01-01T10:00:00Z", "<a href=//example.org/a></a>"),
        ("http://example.com/a", "2024-12-31T23:59:59Z", "<a href=//example.org/b></a>"),
        ("http://sub.example.com/", "2026-01-02T00:00:00Z", ""),
    ]
    path.write_bytes(b"".join(gzip.compress(record(*page)) for page in pages))
    return path


@pytest.fixture
def command(tmp_path):
    """The program, in a directory; its output."""

    def run(*arguments):
        line = [os.environ["URIMILL_BINARY"], *arguments]
        return subprocess.run(line, cwd=tmp_path, check=True, capture_output=True).stdout

    if "URIMILL_BINARY" not in os.environ:
        pytest.skip("URIMILL_BINARY names no program")
    return run


@pytest.mark.parametrize(
    ("name", "options", "arguments"),
    [
        ("a.cdxj", {}, []),
        ("a.cdx", {}, []),
        ("a.txt", {"to": "cdx9"}, ["--to", "cdx9"]),
        ("a.cdxj.gz", {"like": "pywb"}, ["--like", "pywb"]),
        ("c.cdxj", {"no_post": True}, ["--no-post"]),
        ("b.cdxj", {"unsorted": True, "records": ["response"]}, ["--unsorted", "--records", "response"]),
        ("zipnum", {"to": "zipnum", "shards": 2, "block_lines": 2}, ["--to=zipnum", "--shards=2", "--block-lines=2"]),
    ],
)
def test_an_index_is_that_of_the_command(archive, command, tmp_path, name, options, arguments):
    summary = urimill.index(archive, tmp_path / f"own-{name}", **options)
    assert (summary["records"], summary["lines"]) == (4, 4)
    command("index", archive.name, "-o", name, *arguments)
    files = [""] if (tmp_path / name).is_file() else sorted(path.name for path in (tmp_path / name).iterdir())
    for file in files:
        own, theirs = (tmp_path / f"own-{name}" / file).read_bytes(), (tmp_path / name / file).read_bytes()
        assert own == theirs, file


def test_rows_of_an_index(archive, tmp_path):
    with urimill.index(archive) as stream:
        rows = stream.read_all().to_pylist()
    assert [(row["urlkey"], row["timestamp"], row["status"]) for row in rows] == [
        ("com,example)/a", "20241231235959", 200),
        ("com,example)/a", "20260101100000", 200),
        ("com,example)/b", "20250301000000", 200),
        ("com,example,sub)/", "20260102000000", 200),
    ]
    urimill.index(archive, tmp_path / "index.parquet", progress=lambda *_: None)
    assert pyarrow.parquet.read_table(tmp_path / "index.parquet").num_rows == 4
    assert urimill.index([archive, archive]).to_pyarrow().read_all().num_rows == 4, "equal lines are one"


@pytest.mark.parametrize("name", ["a.cdxj", "zipnum", "a.parquet"])
@pytest.mark.parametrize(
    ("url", "options", "arguments", "lines"),
    [
        ("http://example.com/a", {}, [], 2),
        ("com,example)/a", {"limit": 1}, ["--limit", "1"], 1),
        ("http://example.com/a", {"limit": 0}, None, 0),
        ("example.com", {"match": "domain"}, ["--match", "domain"], 4),
        ("example.com", {"match": "host"}, ["--match", "host"], 3),
        ("http://example.com/a", {"start": "2025"}, ["--from", "2025"], 1),
        ("http://example.com/a", {"end": "2024"}, ["--to", "2024"], 1),
        ("http://example.net/", {}, None, 0),
    ],
)
def test_lookups(archive, command, tmp_path, name, url, options, arguments, lines):
    form = {"to": "zipnum"} if name == "zipnum" else {}
    urimill.index(archive, tmp_path / name, **form)
    found = urimill.Lookup(tmp_path / name).find(url, **options)
    assert len(found) == lines
    if arguments is not None:
        said = command("lookup", url, "--index", name, *arguments)
        assert found == [json.loads(line) for line in said.splitlines()]


def test_edges_are_those_of_the_command(archive, command, tmp_path):
    expected = [
        {"source": "example.com", "target": "example.org", "links": 2, "pages": 2},
        {"source": "www.example.com", "target": "example.org", "links": 1, "pages": 1},
        {"source": "www.example.com", "target": "www.example.com", "links": 1, "pages": 1},
    ]
    assert urimill.links(archive, edges="host").read_all().to_pylist() == expected
    summary = urimill.links(archive, tmp_path / "own.csv", edges="host", verify=True)
    assert summary["edges"] == 3
    command("links", archive.name, "--edges", "host", "-o", "theirs.csv")
    assert (tmp_path / "own.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    urimill.links(archive, tmp_path / "graph", edges="registered_domain", graph=True)
    vertices = gzip.decompress((tmp_path / "graph" / "vertices.txt.gz").read_bytes())
    assert vertices == b"0\tcom.example\n1\torg.example\n"


def test_a_lookup_scans_what_is_not_sorted(archive, tmp_path):
    urimill.index(archive, tmp_path / "a.cdxj")
    lines = (tmp_path / "a.cdxj").read_text().splitlines(keepends=True)
    (tmp_path / "b.cdxj").write_text("".join(reversed(lines)))
    with pytest.raises((ValueError, OSError), match="b.cdxj"):
        urimill.Lookup(tmp_path / "b.cdxj").find("example.com", match="domain")
    for options in [{"scan": True}, {"scan": True, "memory": 64 << 20}]:
        assert len(urimill.Lookup(tmp_path / "b.cdxj", **options).find("example.com", match="domain")) == 4


def test_what_is_refused(archive, tmp_path):
    (tmp_path / "list.txt").write_text("http://example.com/\n")
    (tmp_path / "there.cdxj").write_text("")
    for call, sentence in [
        (lambda: urimill.index(tmp_path / "list.txt"), "list.txt"),
        (lambda: urimill.index(tmp_path / "missing.warc"), "missing.warc"),
        (lambda: urimill.index(archive, to="cdxj"), "this call writes no file: drop to"),
        (lambda: urimill.index(archive, tmp_path / "there.cdxj"), "there.cdxj"),
        (lambda: urimill.index(archive, tmp_path / "a.cdxj", shards=2), "zipnum"),
        (lambda: urimill.index(archive, "-"), "output is a file"),
        (lambda: urimill.index(archive, like="wayback"), "like"),
        (lambda: urimill.index(archive, colour=1), "colour"),
        (lambda: urimill.links(archive, edges="page"), "edges"),
        (lambda: urimill.links(archive, edges="host", graph=True), "this call writes no file: drop graph"),
        (lambda: urimill.links(archive, edges="host", columns=["uri"]), "columns"),
        (lambda: urimill.links(archive, tmp_path / "g", edges="uri", graph=True), "URIs have none"),
        (lambda: urimill.Lookup(tmp_path / "missing.cdxj"), "missing.cdxj"),
        (lambda: urimill.Lookup(tmp_path / "list.txt").find("http://example.com/"), "list.txt"),
    ]:
        with pytest.raises((ValueError, TypeError, OSError), match=sentence):
            call()
    urimill.index(archive, tmp_path / "a.cdxj")
    lookup = urimill.Lookup(tmp_path / "a.cdxj")
    for url, options, sentence in [
        ("", {}, "no URL"),
        ("http://example.com/", {"match": "all"}, "match cannot be all"),
        ("http://example.com/", {"start": "May"}, "May"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            lookup.find(url, **options)
