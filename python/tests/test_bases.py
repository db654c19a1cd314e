"""An absolute reference needs no base, whatever the function and the specification."""

from __future__ import annotations

import pyarrow
import pytest

import urimill

REFERENCES = ["HTTP://a/../b", "urn:x:y", "c", "//x/y", "?q", None]
ABSOLUTE = [True, True, False, False, False, False]


@pytest.mark.parametrize("spec", ["rfc3986", "rfc3986-errata", "rfc2396", "whatwg"])
@pytest.mark.parametrize("missing", [None, ""])
def test_a_missing_base(spec, missing):
    level = {} if spec == "whatwg" else {"level": "none"}
    missing_code = "missing-scheme-non-relative-URL" if spec == "whatwg" else "base_not_absolute"
    bases = [missing] * len(REFERENCES)
    table = pyarrow.table({"link": REFERENCES, "page": bases})
    other = urimill.resolve(REFERENCES, "ftp://other/", spec=spec)["target"].to_pylist()
    tables = [urimill.normalize(REFERENCES, base=bases, spec=spec, **level), urimill.normalize(table, uri="link", base="page", spec=spec, **level)]
    for made in tables:
        assert [uri for uri, is_absolute in zip(made["uri"].to_pylist(), ABSOLUTE) if is_absolute] == other[:2]
        assert made["base"].to_pylist() == [None] * 6
        assert made["error"].to_pylist() == [None, None] + [missing_code] * 3 + [None]
    for made in [urimill.resolve(REFERENCES, bases, spec=spec), urimill.resolve(table, "page", uri="link", spec=spec)]:
        assert made["target"].to_pylist() == other[:2] + [None] * 4
        assert made["error"].to_pylist() == [None, None] + [missing_code] * 3 + [None]


def test_functions_agree_on_bases():
    bases = ["http://h/a/b", None, "/x", "http://[", "mailto:a@b", "HTTP://u@h"]
    references = ["../c", "http://i/", "?", "a b", " ", "http:g", "%2e%2e/x", "//[::1]:80", "é"]
    pairs = [(reference, base) for reference in references for base in bases]
    columns = [list(column) for column in zip(*pairs)]
    options = [{"spec": "whatwg"}] + [
        {"spec": spec, "level": level, "repair": repair, "compat": compat}
        for spec in ["rfc3986", "rfc2396"]
        for level in ["none", "scheme"]
        for repair in [False, True]
        for compat in [False, True]
    ]
    for how in options:
        table = urimill.normalize(columns[0], base=columns[1], columns="uri,error,error_offset", **how).to_pylist()
        targets = urimill.resolve(*columns, **how).to_pylist()
        expected = [{"target": row["uri"] if row["error"] is None else None, "error": row["error"], "error_offset": row["error_offset"]} for row in table]
        assert targets == expected, how


def test_targets_have_no_longest():
    long = "http://h/" + "a" * (1 << 21)
    assert urimill.resolve([long], "http://h/")["target"].to_pylist() == [long]
