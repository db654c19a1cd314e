"""The results for a column are those of the program for the same lines in a file."""

from __future__ import annotations

import pathlib

import polars
import pyarrow
import pytest
from conftest import datasets, lines_of

import urimill

COLUMNS = "+fingerprint,+raw_bytes,+surt,+host_parts,+registered_domain,+query_params"

OPTIONS = [
    ({}, []),
    ({"spec": "rfc2396", "level": "syntax"}, ["--spec", "rfc2396", "--level", "syntax"]),
    ({"repair": True, "default_scheme": "https"}, ["--repair", "--default-scheme", "https"]),
    ({"refang": True}, ["--refang"]),
    ({"mask_passwords": True}, ["--mask-passwords"]),
    ({"drop_userinfo": True, "spec": "rfc3986-errata"}, ["--drop-userinfo", "--spec", "rfc3986-errata"]),
    (
        {"base": "http://a/b/c/d;p?q", "compat": True, "canonical": "w3lib", "drop_tracking": True, "drop_params": ["q", "a*"]},
        ["--base", "http://a/b/c/d;p?q", "--compat", "--canonical", "w3lib", "--drop-tracking", "--drop-params", "q,a*"],
    ),
]


def same(table: urimill.Table, expected: dict[str, list]) -> None:
    columns = table.to_pydict()
    columns["flags"] = [None if bits is None else urimill.flag_names(bits) for bits in columns["flags"]]
    columns["raw_bytes"] = [data and list(data) for data in columns["raw_bytes"]]
    told = {name: values for name, values in expected.items() if name not in ("record", "raw_bytes")}
    for name, values in told.items():
        assert columns[name] == values, name
    assert [data is None for data in columns["raw_bytes"]] == [data is None for data in expected["raw_bytes"]]


@pytest.mark.parametrize("path", datasets(), ids=lambda path: path.name)
@pytest.mark.parametrize(("keywords", "arguments"), OPTIONS, ids=["default", "rfc2396", "repair", "refang", "mask", "drop", "base"])
def test_datasets(path: pathlib.Path, keywords, arguments, table_of_command, tmp_path):
    # White space before a URI is dropped in lines, not in values of columns.
    lines = [line for line in lines_of(path) if not line[:1].isspace()]
    path = tmp_path / path.name
    path.write_bytes(b"\r\n".join(lines) + b"\r\n")
    expected = table_of_command(path, *arguments, "--columns", COLUMNS)
    records = pyarrow.array(lines, pyarrow.binary())
    for strings in ["string", "string_view"]:
        same(urimill.normalize(records, columns=COLUMNS, strings=strings, **keywords), expected)


def test_passwords_in_other_columns():
    other = ["see http://joe:pw@a/", None]
    table = pyarrow.table({"url": ["http://joe:pw@h/?u=http://a:b@c/", None], "n": [1, 2], "other": other, "list": [other, []]})
    for options, uri, shown in [
        ({"mask_passwords": True}, "http://joe:***@h/?u=http://a:***@c/", "see http://joe:***@a/"),
        ({"drop_userinfo": True}, "http://h/?u=http://c/", "see http://a/"),
        ({}, "http://joe:pw@h/?u=http://a:b@c/", "see http://joe:pw@a/"),
    ]:
        for stream in [False, True]:
            rows = urimill.normalize(table, uri="url", columns="uri", stream=stream, **options)
            rows = rows.read_all() if stream else rows
            expected = {"uri": [uri, None], "n": [1, 2], "other": [shown, None], "list": [[shown, None], []]}
            assert rows.to_pydict() == expected, options


@pytest.mark.parametrize("name", ["top100.txt", "kasztp.txt", "eot2024_seedlists.txt"])
def test_corpora(name, corpora, table_of_command):
    path = corpora / name
    expected = table_of_command(path, "--columns", COLUMNS)
    table = urimill.normalize(pyarrow.array(lines_of(path), pyarrow.binary()), columns=COLUMNS)
    same(table, expected)
    # The same from the file.
    read = urimill.read(path, "lines", columns=COLUMNS).read_all()
    assert read.to_pyarrow().drop_columns(["record"]) == table.to_pyarrow().drop_columns(["record"])


def test_bases_by_row(corpora, table_of_command):
    path = corpora / "html_refs.tsv"
    options = ["--from", "tsv", "--no-quotes", "--uri-field", "2", "--base-field", "1", "--header", "no", "--keep", "none"]
    expected = table_of_command(path, *options, "--columns", COLUMNS)
    rows = [line.split(b"\t") for line in path.read_bytes().split(b"\n") if line]
    # An empty field of a list is a null.
    page, link = ([row[at] or None for row in rows] for at in (0, 1))
    table = pyarrow.table({"page": pyarrow.array(page, pyarrow.binary()), "link": pyarrow.array(link, pyarrow.binary())})
    same(urimill.normalize(table, uri="link", base="page", columns=COLUMNS), expected)
    same(urimill.normalize(table["link"], base=table["page"], columns=COLUMNS), expected)
    same(urimill.normalize(table["link"], base=page, columns=COLUMNS), expected)


# RFC 3986, 5.4.1 and 5.4.2.
REFERENCES = [
    ("g:h", "g:h"),
    ("g", "http://a/b/c/g"),
    ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"),
    ("", "http://a/b/c/d;p?q"),
    ("../../../g", "http://a/g"),
    ("http:g", "http:g"),
]


def test_resolve():
    references, targets = (list(column) for column in zip(*REFERENCES))
    table = urimill.resolve([*references, "/a b", None], "http://a/b/c/d;p?q")
    assert table.to_pydict() == {
        "target": [*targets, None, None],
        "error": [None] * 7 + ["path_invalid_char", None],
        "error_offset": [None] * 7 + [2, None],
    }
    assert urimill.resolve(["http:g"], "http://a/b/", compat=True)["target"].to_pylist() == ["http://a/b/g"]
    leveled = urimill.resolve(["%7e"], urimill.URI("HTTP://A/b/"), level="scheme")
    assert leveled["target"].to_pylist() == ["http://a/b/~"]
    own = urimill.resolve(["g", "g", "g", "g"], ["http://a/b", "/a", None, "<a>"])
    assert own["error"].to_pylist() == [None, "base_not_absolute", "base_not_absolute", "base_invalid"]


def test_relativize():
    table = urimill.relativize(["http://a/b/g", "https://a/", "/x", "/a b"], "http://a/b/c/d;p?q")
    assert table["reference"].to_pylist() == ["../g", "https://a/", None, None]
    assert table["error"].to_pylist() == [None, None, "target_not_absolute", "path_invalid_char"]


def test_compare():
    # RFC 3986, 6.2.2.
    a = ["example://a/b/c/%7Bfoo%7D", "http://a", "http://a/", "x:y", None, "/a b"]
    b = ["eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "http://a:80/", "http://b/", "x:y", "x:y", ":"]
    table = urimill.compare(a, b)
    assert table["rung"].to_pylist() == ["syntax", "scheme", "different", "identical", None, None]
    assert table["equal"].to_pylist() == [True, True, False, True, None, None]
    assert table["error_a"].to_pylist() == [None] * 5 + ["path_invalid_char"]
    assert table["error_b"].to_pylist() == [None] * 5 + ["scheme_empty"]
    both = urimill.compare(pyarrow.table({"a": a, "b": b, "n": range(6)}), "b", uri="a", level="percent")
    assert both["equal"].to_pylist() == [False, False, False, True, None, None]
    assert both["n"].to_pylist() == list(range(6))
    assert urimill.compare(["../c"], ["/c"], base="http://h/a/b")["rung"].to_pylist() == ["identical"]
    # RFC 3986, 6.1.
    table = urimill.compare(["http://a/#b", "../c"], ["http://a/#c", "../c"], ignore_fragments=True, absolute_only=True)
    assert table["rung"].to_pylist() == ["identical", None]
    assert table["error_a"].to_pylist() == table["error_b"].to_pylist() == [None, "scheme_missing"]


def test_encode_and_decode():
    texts = ["AC/DC 100%", "é", "", None]
    encoded = urimill.encode(texts, "segment")
    assert encoded["encoded"].to_pylist() == ["AC%2FDC%20100%25", "%C3%A9", "", None]
    assert urimill.decode(encoded["encoded"], "segment")["decoded"].to_pylist() == texts
    assert urimill.encode(["/a b/%41"], "path", keep_triplets=True)["encoded"].to_pylist() == ["/a%20b/%41"]
    wrong = urimill.decode(["a/b", "%4", "%zz", "%E9"], "segment")
    assert wrong["error"].to_pylist() == ["invalid_char", "percent_truncated", "percent_invalid_digit", None]
    assert wrong["error_offset"].to_pylist() == [1, 2, 1, None]
    assert wrong["decoded_bytes"].to_pylist() == [None, None, None, b"\xe9"]
    assert urimill.decode(["100%"], lenient=True)["decoded"].to_pylist() == ["100%"]
    assert urimill.encode("a b") == "a%20b" and urimill.encode(b"\xff") == "%FF"
    hosts = urimill.encode([b"b\xc3\xbccher", b"b\xfccher", None], "host")
    assert hosts["encoded"].to_pylist() == ["b%C3%BCcher", None, None]
    assert hosts["error"].to_pylist() == [None, "not_utf8", None]
    assert hosts["error_offset"].to_pylist() == [None, 1, None]
    with pytest.raises(urimill.RejectError) as caught:
        urimill.encode(b"b\xff", "host")
    assert (caught.value.code, caught.value.offset) == ("not_utf8", 1)
    assert urimill.decode("a%20b") == "a b" and urimill.decode(b"%FF") == b"\xff"
    with pytest.raises(urimill.RejectError) as caught:
        urimill.decode("a%4")
    assert (caught.value.code, caught.value.offset) == ("percent_truncated", 3)
    with pytest.raises(UnicodeDecodeError):
        urimill.decode("%FF")


def test_extract():
    texts = ["See http://example.com/a_(b), or <ftp://foo.example.\ncom/>.", None, "nothing", "www.example.org é"]
    rows = urimill.extract(texts).to_pylist()
    told = [(row["record"], row["offset"], row["length"], row["uri"], row["kind"]) for row in rows]
    assert told == [
        (1, 4, 24, "http://example.com/a_(b)", "uri"),
        (1, 34, 23, "ftp://foo.example.com/", "uri"),
        (4, 0, 15, "http://www.example.org", "suffix"),
    ]
    assert urimill.extract("at www.example.org", no_suffix=True).num_rows == 0
    assert urimill.extract("hxxp://a[.]example", refang=True)["uri"].to_pylist() == ["http://a.example"]
    assert urimill.extract(["www.example.org"], default_scheme="https")["uri"].to_pylist() == ["https://www.example.org"]


def test_host_parts_and_fingerprints():
    table = urimill.host_parts(["https://bücher.example.co.uk/"], repair=True)
    row = table.to_pylist()[0]
    assert row["host_unicode"] == "bücher.example.co.uk" and row["registered_domain"] == "example.co.uk"
    numbers = urimill.fingerprint(["http://a/", "HTTP://A", None, "/a b"])["fingerprint"].to_pylist()
    assert numbers[0] == numbers[1] != numbers[3] and numbers[2] is None


POSITIONS = ["scheme_end", "host_start", "host_end", "path_start", "path_end", "query_end"]


@pytest.mark.parametrize("spec", ["rfc3986", "rfc2396", "whatwg"])
@pytest.mark.parametrize("path", datasets(), ids=lambda path: path.name)
def test_components_are_cut_at_their_positions(path, spec):
    columns = ["error", *POSITIONS, "uri", "scheme", "userinfo", "host", "port", "path", "query", "fragment"]
    table = urimill.normalize(pyarrow.array(lines_of(path), pyarrow.binary()), columns=columns, spec=spec).to_pyarrow()
    expected = table.select(columns[7:])
    positions = table.select(columns[:8])
    frame = positions.to_pandas()
    assert path.name != "oddities.txt" or frame["host_start"].dtype == "float64"
    for data in [positions, positions.combine_chunks(), polars.from_arrow(positions), frame, positions.to_batches(7)[0]]:
        for keywords in [{}, {"strings": "string_view"}, {"threads": 1, "stream": True}]:
            made = urimill.components(data, keep="none", **keywords)
            assert made.column_names == expected.column_names
            rows = made.read_all() if keywords.get("stream") else made
            assert rows.to_pydict() == expected.slice(0, len(rows)).to_pydict()
    kept = urimill.components(positions)
    assert kept.column_names == [*expected.column_names, "error"]
    assert urimill.components(positions, keep=["host_end"])["host_end"].to_pylist() == table["host_end"].to_pylist()


def test_components_take_no_wrong_positions():
    table = urimill.normalize(["http://h/a"] * 9000, columns=["uri", *POSITIONS]).to_pyarrow()
    wrong = table.set_column(2, "host_start", [[7] * 8999 + [6]])
    with pytest.raises(ValueError, match="row 9000: the positions are not those of the components of its uri"):
        urimill.components(wrong, threads=2)
    with pytest.raises(ValueError, match='there is no column "path_end" for components: choose from uri, scheme_end'):
        urimill.components(table.drop_columns(["path_end"]))
    with pytest.raises(ValueError, match="the column path_end is of Utf8: give integers"):
        urimill.components(table.set_column(5, "path_end", [["10"] * 9000]))
    with pytest.raises(TypeError, match='texts cannot be read from the column "uri"'):
        urimill.components(table.set_column(0, "uri", [range(9000)]))


def test_canonical():
    uris = ["http://www.Example.com:80/A/./%7Eb/?c=%2F&a=&b#d", "relative"]
    forms = {form: urimill.canonical(uris, form)["canonical"].to_pylist() for form in ["wayback", "crawler-commons", "w3lib"]}
    assert forms == {
        "wayback": ["http://example.com/a/~b?a=&b&c=/", None],
        "crawler-commons": ["http://www.example.com/A/~b/?a&b&c=%2F", None],
        "w3lib": ["http://www.example.com:80/A/~b/?a=&b=&c=%2F", None],
    }


def test_names_of_the_library():
    assert list(urimill.COLUMNS)[:3] == ["record", "uri", "raw"]
    assert urimill.FLAGS["has_userinfo"] == 1
    assert urimill.CODES["path_invalid_char"] == "a character that a path cannot hold"
    assert set(urimill.schema().names) <= set(urimill.COLUMNS)
