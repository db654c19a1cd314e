"""One URI reference as a value."""

from __future__ import annotations

import copy
import pickle

import pyarrow
import pytest

import urimill
from urimill import URI, RejectError

# Text; scheme, userinfo, host, kind of host, port, path, query, fragment (RFC 3986, 3 and 1.1.2).
COMPONENTS = [
    ("foo://example.com:8042/over/there?name=ferret#nose", "foo", None, "example.com", "dns_name", 8042, "/over/there", "name=ferret", "nose"),
    ("urn:example:animal:ferret:nose", "urn", None, None, None, None, "example:animal:ferret:nose", None, None),
    ("ldap://[2001:db8::7]/c=GB?objectClass?one", "ldap", None, "[2001:db8::7]", "ipv6", None, "/c=GB", "objectClass?one", None),
    ("telnet://192.0.2.16:80/", "telnet", None, "192.0.2.16", "ipv4", 80, "/", None, None),
    ("//u:p@h?#", None, "u:p", "h", "dns_name", None, "", "", ""),
    ("http://a_b.example:/", "http", None, "a_b.example", "reg_name", None, "/", None, None),
    ("http://h:99999/", "http", None, "h", "dns_name", None, "/", None, None),
    ("", None, None, None, None, None, "", None, None),
]


@pytest.mark.parametrize("row", COMPONENTS, ids=lambda row: row[0])
def test_components(row):
    uri = URI(row[0])
    told = (uri.scheme, uri.userinfo, uri.host, uri.host_kind, uri.port, uri.path, uri.query, uri.fragment)
    assert told == row[1:]
    assert str(uri) == row[0]
    assert URI(row[0].encode()) == uri == URI(uri)


def test_components_are_those_of_the_column():
    # The column has those of the normal form, which level none leaves as it is.
    table = urimill.normalize([row[0] for row in COMPONENTS], level="none").to_pylist()
    for row, columns in zip(COMPONENTS, table):
        uri = URI(row[0])
        for name in ["scheme", "userinfo", "host", "host_kind", "port", "path", "query", "fragment"]:
            assert getattr(uri, name) == columns[name], (row[0], name)


def test_authority_and_addresses():
    assert URI("http://u@h:1/").authority == "u@h:1"
    assert URI("urn:x").authority is None
    assert URI("http://0177.1/").host_address == "127.0.0.1"
    assert URI("http://example.com/").host_address is None


# RFC 3986, 6.2.2 and 6.2.3.
LEVELS = [
    ("none", "HTTP://h:80/%7ea/../b"),
    ("case", "http://h:80/%7Ea/../b"),
    ("percent", "http://h:80/~a/../b"),
    ("syntax", "http://h:80/b"),
    ("scheme", "http://h/b"),
]


@pytest.mark.parametrize(("level", "normal"), LEVELS)
def test_normal_forms(level, normal):
    assert str(URI("HTTP://h:80/%7ea/../b").normalized(level)) == normal


def test_equality_is_that_of_normal_forms():
    same = ["http://a/~b", "HTTP://A:80/%7Eb", "http://a/c/../~b"]
    assert len({URI(text) for text in same}) == 1
    assert URI("http://a/b") != URI("http://a/B")
    assert URI("http://a/") != "http://a/" and URI("http://a/") != None  # noqa: E711
    assert URI("http://a/", spec="rfc2396") != URI("http://a/")
    with pytest.raises(TypeError):
        URI("a:b") < URI("a:c")


def test_copies():
    uri = URI("HTTP://a/%7Eb", spec="rfc2396")
    for other in [pickle.loads(pickle.dumps(uri)), copy.copy(uri), copy.deepcopy(uri)]:
        assert (str(other), other.spec) == (str(uri), uri.spec)
    assert repr(uri) == "URI('HTTP://a/%7Eb', spec='rfc2396')" and repr(URI("a:b")) == "URI('a:b')"
    assert eval(repr(uri)) == uri


def test_resolution_and_back():
    base = URI("http://a/b/c/d;p?q")
    for reference, target in [("../g", "http://a/b/g"), ("?y", "http://a/b/c/d;p?y"), ("g:h", "g:h")]:
        resolved = base.resolve(reference)
        assert str(resolved) == target
        assert base.resolve(resolved.relative_to(base)) == resolved
    assert str(base.resolve(URI("g"))) == "http://a/b/c/g"
    assert str(base.resolve("http:g", compat=True)) == "http://a/b/c/g"
    # RFC 2396, C.2.
    assert str(URI("http://a/b/c/d;p?q", spec="rfc2396").resolve("../../../g")) == "http://a/../g"
    with pytest.raises(ValueError, match="has no scheme"):
        URI("/a").resolve("b")
    with pytest.raises(ValueError, match="has no scheme"):
        URI("/a").relative_to("http://a/")
    with pytest.raises(RejectError):
        base.resolve("a b")


# Getter; text; value. The sections are those of RFC 3986; `segments` and `query_pairs` are as written.
GETTERS = [
    ("port_or_default", "https://h/", 443),  # 3.2.3
    ("port_or_default", "https://h:81/", 81),
    ("port_or_default", "urn:a", None),
    ("segments", "http://h/a%2Fb//c", ["a%2Fb", "", "c"]),  # 3.3
    ("segments", "http://h", []),
    ("query_pairs", "?a=b+c&&d&e=", [("a", "b+c"), ("d", None), ("e", "")]),  # 3.4
    ("query_params", "?a=b+c&&d&e=%C3%BC", [("a", "b c"), ("d", None), ("e", "ü")]),
    ("registered_domain", "https://www.Example.co.uk/", "example.co.uk"),  # 3.2.2
    ("registered_domain", "https://b%C3%BCcher.de/", "xn--bcher-kva.de"),
    ("registered_domain", "https://192.0.2.1/", None),
    ("is_uri", "a:b#c", True),  # 3
    ("is_absolute_uri", "a:b#c", False),  # 4.3
    ("is_absolute_uri", "a:b", True),
    ("is_relative_reference", "a/b", True),  # 4.2
]


@pytest.mark.parametrize(("name", "text", "value"), GETTERS)
def test_getters(name, text, value):
    assert getattr(URI(text), name) == value


# Text; method; its argument; the copy.
COPIES = [
    ("http://h/a", "with_scheme", "https", "https://h/a"),
    ("http://h/a", "with_userinfo", "joe", "http://joe@h/a"),
    ("http://h:1/a", "with_host", "[::1]", "http://[::1]:1/a"),
    ("http://h:1/a", "with_host", "bücher.example", "http://b%C3%BCcher.example:1/a"),
    ("http://h/a", "with_port", 8080, "http://h:8080/a"),
    ("http://h/a?q", "with_path", "/b%20c", "http://h/b%20c?q"),
    ("http://h/a#f", "with_query", "page=2", "http://h/a?page=2#f"),
    ("http://h/a", "with_fragment", "top", "http://h/a#top"),
    ("http://u:p@h:1/a?q#f", "without_userinfo", None, "http://h:1/a?q#f"),
    ("http://u:p@h:1/a?q#f", "without_port", None, "http://u:p@h/a?q#f"),
    ("http://u:p@h:1/a?q#f", "without_query", None, "http://u:p@h:1/a#f"),
    ("http://u:p@h:1/a?q#f", "without_fragment", None, "http://u:p@h:1/a?q"),
    ("http://h/a/b", "join", "../c", "http://h/c"),
]


@pytest.mark.parametrize(("text", "method", "argument", "copy"), COPIES)
def test_copies_with_another_part(text, method, argument, copy):
    uri = URI(text)
    made = getattr(uri, method)(*([] if argument is None else [argument]))
    assert type(made) is URI and str(made) == copy
    assert str(uri) == text
    same = getattr(URI(text, spec="rfc3986-errata"), method)(*([] if argument is None else [argument]))
    assert same.spec == "rfc3986-errata"


REFUSED = [
    ("http://h/", "with_scheme", "http:", "is no scheme"),
    ("http://h/", "with_userinfo", "u:secret word", r'"u:\*\*\*" is no user information'),
    ("http://h/", "with_host", "h:80", "is no host: a colon begins a port"),
    ("http://h/", "with_port", 65536, "65536 is not a number from 0 to 65535"),
    ("http://h/", "with_port", -1, "-1 is not a number from 0 to 65535"),
    ("urn:a", "with_port", 1, "need a host"),
    ("http://h/", "with_path", "/a b", r"is no path as a URI has it: .* \(byte 2\)"),
    ("http://h/", "with_query", "100%", r"is no query as a URI has it: .* \(byte 4\)"),
    ("http://h/", "with_fragment", "#a", r"is no fragment as a URI has it: .* \(byte 0\)"),
]


@pytest.mark.parametrize(("text", "method", "argument", "message"), REFUSED)
def test_what_is_no_part_is_refused(text, method, argument, message):
    with pytest.raises(ValueError, match=message):
        getattr(URI(text), method)(argument)


def test_building():
    uri = URI.build(scheme="http", userinfo="u@", host="h", port=1, path="/a b", query="q#", fragment="ü")
    assert str(uri) == "http://u%40@h:1/a%20b?q%23#%C3%BC"
    assert str(URI.build(segments=["a/b", "c"], query_pairs=[("a", "b&c"), ("a", "")])) == "/a%2Fb/c?a=b%26c&a="
    assert str(URI.build()) == ""
    with pytest.raises(ValueError, match="need a host"):
        URI.build(port=1)
    with pytest.raises(ValueError, match="is no host"):
        URI.build(host="::1")
    with pytest.raises(TypeError):
        URI.build("http")


REJECTS = [
    ("http://example.com/a b", "path_invalid_char", "path", 20),
    ("http://example.com/%4", "percent_truncated", "path", 21),
    (":", "scheme_empty", "scheme", 0),
    ("http://[::1", "host_ipv6_malformed", "host", 11),
    (b"http://h/\xff", "not_utf8", "path", 9),
]


@pytest.mark.parametrize(("text", "code", "component", "offset"), REJECTS)
def test_rejects(text, code, component, offset):
    with pytest.raises(ValueError) as caught:
        URI(text)
    error = caught.value
    assert type(error) is RejectError
    assert (error.code, error.component, error.offset) == (code, component, offset)
    assert code in str(error) and code in urimill.CODES
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.offset) == (str(error), code, offset)
    assert urimill.normalize([text])["error"].to_pylist() == [code]


def test_messages_mask_passwords():
    with pytest.raises(urimill.RejectError) as caught:
        urimill.URI("http://joe:secret@h/a b")
    assert "http://joe:***@h/a b" in str(caught.value)
    assert caught.value.text == "http://joe:secret@h/a b"


def test_explain():
    told = URI("HTTP://u@example.com:80").explain()
    assert told["reference"]["normal_form"] == "http://u@example.com/"
    assert [flag["name"] for flag in told["reference"]["flags"]] == URI("HTTP://u@example.com:80").flags
    assert URI("../g").explain(base="http://a/b/c")["reference"]["resolution"]["target"] == "http://a/g"
    assert urimill.explain("a b")["error"]["code"] == "path_invalid_char"
    assert urimill.explain(" a:b ", repair=True)["reference"]["text"] == "a:b"
    with pytest.raises(ValueError, match="level"):
        URI("a:b").explain(level="most")


def test_wrong_arguments():
    for wrong in [None, 1, ["a:b"]]:
        with pytest.raises(TypeError, match="str or bytes"):
            URI(wrong)
    with pytest.raises(ValueError, match="rfc3986, rfc3986-errata or rfc2396"):
        URI("a:b", spec="whatwg")
    with pytest.raises(ValueError, match="none, case, percent, syntax or scheme"):
        URI("a:b").normalized("all")
    with pytest.raises(AttributeError):
        URI("a:b").path = "c"


def test_passwords_are_not_shown():
    uri = URI("http://joe:secret@h/?u=http://joe:secret@i/")
    assert repr(uri) == "URI('http://joe:***@h/?u=http://joe:***@i/')" and "secret" in str(uri)
    table = urimill.normalize([str(uri)], columns="uri,userinfo,query")
    assert "secret" not in repr(table) and "joe:***" in repr(table)
    assert table["userinfo"].to_pylist() == ["joe:secret"]
    kept = pyarrow.table({"url": [str(uri)], "page": [str(uri)], "userinfo": ["joe:secret"]})
    assert "secret" not in repr(urimill.normalize(kept, uri="url", columns="host,userinfo"))


def test_texts_that_are_too_long():
    long = "a" * (512 << 20)
    for read in [URI, urimill.URL, urimill.explain]:
        with pytest.raises(urimill.RejectError) as caught:
            read(long)
        assert (caught.value.code, caught.value.offset) == ("too_long", 512 << 20)
        assert len(str(caught.value)) < 1000
