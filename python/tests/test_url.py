"""One URL by the URL Standard as a value, and rows by it."""

from __future__ import annotations

import copy
import pickle

import pytest

import urimill
from urimill import URL

# Text, base; href, origin, protocol, username, password, host, hostname, port, pathname, search, hash (URL Standard, 6.1).
MEMBERS = [
    (r"HTTPS:\\u:p@EXAMPLE.com:8443\a b?q#f", None, "https://u:p@example.com:8443/a%20b?q#f", "https://example.com:8443", "https:", "u", "p", "example.com:8443", "example.com", "8443", "/a%20b", "?q", "#f"),
    ("../c?", "http://h:80/a/b", "http://h/c?", "http://h", "http:", "", "", "h", "h", "", "/c", "", ""),
    ("mailto:a@b", None, "mailto:a@b", "null", "mailto:", "", "", "", "", "", "a@b", "", ""),
    (b"http://h/\xff", None, "http://h/%EF%BF%BD", "http://h", "http:", "", "", "h", "h", "", "/%EF%BF%BD", "", ""),
]


@pytest.mark.parametrize("row", MEMBERS, ids=lambda row: repr(row[0]))
def test_members(row):
    url = URL(row[0], base=row[1])
    told = (url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash)
    assert told == row[2:]
    assert str(url) == row[2] and repr(url) == f"URL({row[2].replace(':p@', ':***@')!r})"


def test_values():
    url = URL("http://h/a")
    assert url == URL("HTTP:h/a") and hash(url) == hash(URL("http://h/a")) and url != "http://h/a"
    assert pickle.loads(pickle.dumps(url)) == url and copy.deepcopy(url) is url
    assert URL("b", base=url) == URL("http://h/b") and URL(url) == url


def test_what_has_no_url():
    with pytest.raises(ValueError, match=r"has no URL: .* \(IPv6-unclosed, byte \d+\)") as caught:
        URL("http://u:secret@[::1")
    assert "secret" not in str(caught.value)
    with pytest.raises(ValueError, match="missing-scheme-non-relative-URL"):
        URL("a")
    assert not URL.can_parse("a") and URL.can_parse("a", "http://h/") and not URL.can_parse("http://h/", base="b")


def test_disagreements():
    assert URL.disagreements("http://0x7f.1/") == ["host_differs", "numeric_host"]
    assert URL.disagreements("//h", base="http://g/") == []


def test_tables():
    texts = ["HTTP://H/", "http://[::1", None, r"\\g\a"]
    table = urimill.normalize(texts, base="http://b/", spec="whatwg", columns="uri,host,error,disagreement")
    assert table["uri"].to_pylist() == ["http://h/", "http://[::1", None, "http://g/a"]
    assert table["host"].to_pylist() == ["h", None, None, "g"]
    assert table["error"].to_pylist() == [None, "IPv6-unclosed", None, None]
    names = ["host_differs", "backslash_authority", "invalid_for_rfc"]
    assert table["disagreement"].to_pylist()[3] == names
    rejected = urimill.normalize(texts[3:], base="http://b/", on_disagreement="reject", columns="error")
    assert rejected["error"].to_pylist() == ["path_invalid_char"]
    targets = urimill.resolve(texts, ["http://b/", "http://b/", "http://b/", "x"], spec="whatwg")
    assert targets["target"].to_pylist() == ["http://h/", None, None, None]
    assert targets["error"].to_pylist() == [None, "IPv6-unclosed", None, "base_invalid"]
