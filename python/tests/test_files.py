"""Files in, tables and streams out."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet
import pytest

import urimill


@pytest.fixture
def big(tmp_path):
    """A list that takes a while: several seconds."""
    path = tmp_path / "big.txt"
    block = b"".join(b"HTTP://www.example.com:80/%%7Euser/%d/./page?x=%d\n" % (n, n) for n in range(20_000))
    with path.open("wb") as file:
        for _ in range(150):
            file.write(block)
    return path


def test_read(tmp_path):
    with gzip.open(tmp_path / "a.txt.gz", "wt") as file:
        file.write("http://a/\n\nHTTP://b\n")
    (tmp_path / "b.txt").write_text("/a b")
    stream = urimill.read([tmp_path / "a.txt.gz", tmp_path / "b.txt"], "lines", columns="+source,+offset")
    table = stream.read_all()
    assert table["uri"].to_pylist() == ["http://a/", "http://b/", "/a b"]
    assert table["record"].to_pylist() == [1, 3, 1]
    assert table["offset"].to_pylist() == [0, 11, 0]
    assert [os.path.basename(source) for source in table["source"]] == ["a.txt.gz", "a.txt.gz", "b.txt"]
    pattern = urimill.read(str(tmp_path / "*.txt"), "lines").read_all()
    assert len(pattern) == 1


def test_read_fields(tmp_path):
    (tmp_path / "a.csv").write_text("page,link,text\nhttp://a/b/,../c,Hello\nhttp://a/,d,\n")
    table = urimill.read(tmp_path / "a.csv", "csv", uri_field="link", base_field="page", strings="large_string").read_all()
    assert table["uri"].to_pylist() == ["http://a/c", "http://a/d"]
    assert table["base"].to_pylist() == ["http://a/b/", "http://a/"]
    assert table["text"].to_pylist() == ["Hello", None]
    assert str(table.to_pyarrow()["uri"].type) == "large_string"
    auto = urimill.read(tmp_path / "a.csv", uri_field="link", keep="none", columns=["uri"]).read_all()
    assert auto["uri"].to_pylist() == ["../c", "d"]


def test_further_uris(tmp_path):
    (tmp_path / "a.csv").write_text("href,src\nhttp://a/,HTTP://B:80\nhttp://a/,|\n,http://c/\n")
    for fields in ["href,src", ["href", "src"]]:
        table = urimill.read(tmp_path / "a.csv", "csv", uri_field=fields, columns="host,src_uri,src_host,src_error").read_all()
        assert table["host"].to_pylist() == ["a", "a", None]
        assert table["src_uri"].to_pylist() == ["http://b/", "|", "http://c/"]
        assert table["src_host"].to_pylist() == ["b", None, "c"]
        assert table["src_error"].to_pylist() == [None, "path_invalid_char", None]
    urimill.convert(tmp_path / "a.csv", tmp_path / "t.parquet", format="csv", uri_field=["href", "src"], sort_by=["src_host"])
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet")["src_host"].to_pylist() == ["b", "c", None]


def test_skipped_lines(tmp_path):
    (tmp_path / "a.csv").write_text("My links\npage,href\n1,/a\n")
    table = urimill.read(tmp_path / "a.csv", "csv", uri_field="href", skip_lines=1, columns="uri,offset").read_all()
    assert table.to_pylist() == [{"uri": "/a", "offset": 19}]
    with pytest.raises(ValueError, match="skip_lines is 4294967296: give a number from 0 to 4294967295"):
        urimill.read(tmp_path / "a.csv", skip_lines=1 << 32)


def test_described_inputs(tmp_path):
    (tmp_path / "a.log").write_text("192.0.2.1|/a?b|200\n")
    for log_format in ["$remote_addr|$request_uri|$status", "squid:%>a|%ru|%>Hs"]:
        log = urimill.read(tmp_path / "a.log", log_format=log_format).read_all()
        assert (log["uri"].to_pylist(), log["status"].to_pylist()) == (["/a?b"], [200])
    (tmp_path / "a.csv").write_text("a;u\n1;http://h/\n")
    table = urimill.read(tmp_path / "a.csv", "csv", delimiter=";", uri_field="u", columns=["uri", "a"]).read_all()
    assert table.to_pylist() == [{"uri": "http://h/", "a": "1"}]
    (tmp_path / "b.csv").write_bytes("\ufeff# é\na,u\né,http://h/\n".encode("utf-16-le"))
    table = urimill.read(tmp_path / "b.csv", "csv", encoding="utf-16", comment="#", uri_field="u", columns="uri,a").read_all()
    assert table.to_pylist() == [{"uri": "http://h/", "a": "é"}]
    (tmp_path / "c.csv").write_text("host,path,q\nh,/a,b\nh,@x/,\n")
    stream = urimill.read(tmp_path / "c.csv", "csv", uri_template="https://{host}{path}?{q}", columns="uri,error")
    assert stream.read_all().to_pylist() == [
        {"uri": "https://h/a?b", "error": None},
        {"uri": "https://h@x/", "error": "record_malformed"},
    ]
    (tmp_path / "d.csv").write_text("GET //a HTTP/1.1\n")
    table = urimill.read(tmp_path / "d.csv", "csv", request_line=1, base="http://h/", columns="uri", keep="method").read_all()
    assert (table["uri"].to_pylist(), table["method"].to_pylist()) == (["http://h//a"], ["GET"])
    with pytest.raises(ValueError, match="uri_template is wrong at byte 9: the header of .* has no field \"x\""):
        urimill.read(tmp_path / "c.csv", "csv", uri_template="https://{x}").read_all()
    names = urimill.normalize(["http://u:p@h/", "/"], columns="flag_names")["flag_names"]
    assert names.to_pylist() == [["has_userinfo", "has_password"], []]


@pytest.mark.parametrize(
    ("name", "format", "options", "column"),
    [
        ("heritrix_crawl.log", "heritrix", {}, "status"),
        ("pywb_iana.cdxj", "cdxj", {}, "time"),
        ("pywb_iana.cdx", "cdx", {}, "digest"),
        ("apache_access_semicomplete.log", "clf", {"base": "http://example.com/"}, "user_agent"),
    ],
)
def test_logs(name, format, options, column, corpora, table_of_command):
    arguments = [f"--{key}={value}" for key, value in options.items()]
    expected = table_of_command(corpora / name, "--from", format, *arguments)
    for asked in [format, "auto"]:
        table = urimill.read(corpora / name, asked, **options).read_all()
        assert table["uri"].to_pylist() == expected["uri"]
        assert len(table[column]) - table[column].null_count == sum(value is not None for value in expected[column])


def test_read_tables(tmp_path):
    kinds = pyarrow.array(["x", "y", "x"]).dictionary_encode()
    links = pyarrow.table({"id": [1, 2, 3], "link": ["HTTP://a/%7E", None, "/a b"], "kind": kinds})
    pyarrow.parquet.write_table(links, tmp_path / "links.parquet")
    with pyarrow.ipc.new_file(tmp_path / "links.arrow", links.schema) as file:
        file.write_table(links)
    for format in ["parquet", "arrow"]:
        table = urimill.read(tmp_path / f"links.{format}", format, uri_field="link", columns="+error").read_all()
        assert table["uri"].to_pylist() == ["http://a/~", None, "/a b"]
        assert table["error"].to_pylist() == [None, None, "path_invalid_char"]
        assert table["id"].to_pylist() == [1, 2, 3]
        assert table["kind"].to_pylist() == ["x", "y", "x"]
    with pytest.raises(ValueError, match="Give uri_field"):
        urimill.read(tmp_path / "links.parquet", "parquet")


def test_read_archives(tmp_path):
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2024-04-12T10:13:55Z\r\nWARC-Record-ID: <urn:uuid:%d>\r\n"
        b"WARC-Target-URI: http://Example.org/%d\r\nContent-Length: 5\r\n\r\nhttp:\r\n\r\n"
    )
    (tmp_path / "a.warc.gz").write_bytes(b"".join(gzip.compress(record % (n, n)) for n in range(3)))
    for format in ["warc", "auto"]:
        table = urimill.read(tmp_path / "a.warc.gz", format, keep=["warc_type"]).read_all()
        assert table["uri"].to_pylist() == [f"http://example.org/{n}" for n in range(3)]
        assert table["warc_type"].to_pylist() == ["response"] * 3


@pytest.mark.parametrize("strings", ["string", "large_string", "string_view"])
def test_read_sorted(tmp_path, strings):
    path = tmp_path / "a.txt"
    path.write_text("http://b/\nhttp://c/\nhttp://a/\n")
    plain = urimill.read(path, "lines", strings=strings)
    sorted_ = urimill.read(path, "lines", strings=strings, sort_by=["uri:desc"], temp_dir=tmp_path)
    assert sorted_.to_pyarrow().schema == plain.to_pyarrow().schema
    table = urimill.read(path, "lines", strings=strings, sort_by="uri:desc").read_all()
    assert table["host"].to_pylist() == ["c", "b", "a"]
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]


def test_links(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<a href='HTTP://h/%7Ea'>x</a><img src='b c'><a href='http://h/[b]'>")
    columns = ["uri", "element", "internal", "error"]
    with urimill.links(page, base="http://h/d/", columns=columns) as stream:
        rows = stream.read_all().to_pylist()
    assert rows[0] == {"uri": "http://h/~a", "element": "a", "internal": "host", "error": None}
    assert [row["error"] for row in rows] == [None, "path_invalid_char", "path_invalid_char"]
    with urimill.links(page, base="http://h/d/", columns=["uri"], spec="whatwg") as stream:
        assert stream.read_all()["uri"].to_pylist() == ["http://h/%7Ea", "http://h/d/b%20c", "http://h/[b]"]
    summary = urimill.links([page, page], tmp_path / "links.parquet", sort_by="uri", verify=True)
    assert (summary["pages"]["pages"], summary["pages"]["links"], summary["records"]) == (2, 6, 6)
    assert (tmp_path / "links.parquet").exists()
    for options, sentence in [
        ({"format": "csv"}, "csv"),
        ({"uri_field": "a"}, "links takes no uri_field"),
        ({"base": "b"}, "b"),
        ({"to": "csv"}, "writes no file"),
        ({"colour": 1}, "colour"),
    ]:
        with pytest.raises((ValueError, TypeError), match=sentence):
            urimill.links(page, **options)


def test_what_is_read_is_not_written(tmp_path):
    (tmp_path / "a.txt").write_text("a:b\n")
    for options in [{"output": "x.csv"}, {"to": "csv"}, {"partition_by": "scheme"}, {"verify": True}]:
        with pytest.raises(ValueError):
            urimill.read(tmp_path / "a.txt", "lines", **options)


def test_streams_of_files_may_be_left(big):
    stream = urimill.read(big, "lines")
    assert len(next(stream)) > 0
    del stream
    with urimill.read(big, "lines") as stream:
        next(stream)
    with pytest.raises(ValueError, match="closed before its end"):
        list(stream)


def test_on_invalid(tmp_path):
    (tmp_path / "a.txt").write_text("a:b\n/a b\n")
    with pytest.raises(ValueError, match="record 2 .* is no URI reference"):
        urimill.read(tmp_path / "a.txt", "lines", on_invalid="fail").read_all()
    rejects = tmp_path / "bad.jsonl"
    summary = urimill.convert(tmp_path / "a.txt", tmp_path / "a.parquet", format="lines", rejects=rejects)
    assert (summary["records"], summary["rejects"]) == (2, 1)
    assert summary["by_code"]["path_invalid_char"]["count"] == 1
    assert "path_invalid_char" in rejects.read_text()
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet")["uri"].to_pylist() == ["a:b"]
    assert urimill.read(tmp_path / "a.txt", "lines", on_invalid="drop").read_all()["uri"].to_pylist() == ["a:b"]


def test_last_line(tmp_path):
    line = '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 5'
    (tmp_path / "a.log").write_text(f"{line}\n{line}")
    for options, faults in [({}, [None, "unfinished"]), ({"last_line": "keep"}, [None, None]), ({"last_line": "drop"}, [None])]:
        rows = urimill.read(tmp_path / "a.log", "clf", columns="field_errors", **options).read_all().to_pylist()
        assert [row["field_errors"] for row in rows] == faults, options
        count = urimill.report(tmp_path / "a.log", format="clf", memory="1G", **options).accounts["records"]
        assert count == len(faults), options
    with pytest.raises(ValueError, match="last_line is .*mark, keep, drop"):
        urimill.read(tmp_path / "a.log", "clf", last_line="lose")


def test_convert_is_the_command(tmp_path, table_of_command):
    path = tmp_path / "a.txt"
    path.write_text("HTTP://a/%7E\n/a b\nurn:x\n")
    urimill.convert([path], tmp_path / "a.parquet", level="case", columns=["+surt", "-raw"], compression="snappy")
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    expected = table_of_command(path, "--level", "case", "--columns", "+surt,-raw")
    assert {name: table[name].to_pylist() for name in table.column_names if name not in ("flags", "raw_bytes")} == {
        name: values for name, values in expected.items() if name not in ("flags", "raw_bytes")
    }
    assert table.schema.metadata[b"urimill.level"] == b"case"


def test_convert_to_a_directory(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("http://b/2\nftp://c/\nhttp://b/1\n")
    out = tmp_path / "table"
    options = {"format": "lines", "partition_by": ["scheme"], "sort_by": ["host", "path:desc"], "verify": True}
    summary = urimill.convert(path, out, file_size=1 << 20, memory="64M", **options)
    assert (summary["records"], summary["output"]["name"]) == (3, str(out))
    assert {file.name for file in out.iterdir()} == {"scheme=ftp", "scheme=http", "_SUCCESS", "_summary.json"}
    files = sorted(out.glob("scheme=http/*.parquet"))
    assert [pyarrow.parquet.ParquetFile(file).read()["path"].to_pylist() for file in files] == [["/2", "/1"]]
    with pytest.raises(ValueError, match="give force to replace"):
        urimill.convert(path, out, **options)
    urimill.convert(path, out, force=True, **options)


def test_convert_for_common_crawl(corpora, tmp_path):
    summary = urimill.convert(corpora / "pywb_iana.cdxj", tmp_path / "index.parquet", schema="cc-index", fill=True)
    table = pyarrow.parquet.read_table(tmp_path / "index.parquet")
    assert table.column_names[:2] == ["url_surtkey", "url"]
    assert len(table) == summary["records"]


def test_progress(big, tmp_path):
    told = []
    summary = urimill.convert(big, tmp_path / "a.parquet", format="lines", progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (big.stat().st_size, big.stat().st_size, summary["lines"])
    assert told == sorted(told)
    stops = tmp_path / "stopped.parquet"

    def stop(done, total, records):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        urimill.convert(big, stops, format="lines", progress=stop)
    assert {path.name for path in tmp_path.iterdir()} == {"big.txt", "a.parquet"}


def test_progress_bars(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("a:b\n")
    urimill.convert(tmp_path / "a.txt", tmp_path / "a.csv", format="lines", progress=True)
    assert "1 records" in capsys.readouterr().err


def interrupted(script: str, *arguments: str) -> int:
    """The exit code of a script that gets Ctrl-C once it has said that it is at work; 77 for a KeyboardInterrupt."""
    frame = """
import sys, urimill
def ready(*_):
    print("ready", flush=True)
try:
    {}
except KeyboardInterrupt:
    sys.exit(77)
"""
    command = [sys.executable, "-c", frame.format(script), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    return process.wait(timeout=20)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("option", ["compression='zstd'", "sort_by='uri'", "partition_by='scheme'"])
def test_ctrl_c_stops_convert(big, tmp_path, option):
    out = tmp_path / "out.parquet"
    columns = "columns='+surt,+host_parts'"
    script = f"urimill.convert(sys.argv[1], sys.argv[2], format='lines', progress=ready, {columns}, {option})"
    assert interrupted(script, str(big), str(out)) == 77
    assert [path.name for path in tmp_path.iterdir()] == ["big.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_a_pipe_is_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert interrupted("ready(), urimill.read(sys.argv[1], 'lines').read_all()", str(tmp_path / "pipe")) == 77
