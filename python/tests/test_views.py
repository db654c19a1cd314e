"""Views name no more of the input than they show, and come out where they went in."""

from __future__ import annotations

import io
import pickle

import polars
import pyarrow
import pyarrow.ipc
import pytest

import urimill

TEXTS = [f"http://www{n % 100}.example.com/some/path/{n}?query={n}" for n in range(40_000)]
BYTES = sum(map(len, TEXTS))


def written(table) -> int:
    """The bytes of a table in Arrow's format."""
    table = table.to_pyarrow()
    sink = io.BytesIO()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return len(sink.getvalue())


@pytest.mark.parametrize("type_", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()], ids=str)
def test_written_views_are_as_large_as_their_texts(type_):
    texts = pyarrow.array(TEXTS).cast(type_)
    plain = urimill.normalize(texts, strings="string", threads=1)
    views = urimill.normalize(texts, strings="string_view", threads=1)
    assert views.to_pylist() == plain.to_pylist()
    assert written(views) < 3 * written(plain)
    assert len(pickle.dumps(views.to_pyarrow())) < 3 * written(plain)
    # Ten rows of many take no more than ten rows.
    ten = urimill.normalize(texts.slice(20_000, 10), strings="string_view")
    assert written(ten) < 30_000 and ten["uri"].to_pylist() == TEXTS[20_000:20_010]
    for some in [views.head(10), views.slice(9000, 10)]:
        assert written(some) < 30_000
    assert views.slice(9000, 10).to_pylist() == plain.slice(9000, 10).to_pylist()


def test_columns_that_pass_through_do_not_carry_their_source():
    nested = [[text] if n % 3 else None for n, text in enumerate(TEXTS)]
    structs = [{"a": text, "b": [{"c": text}]} for text in TEXTS]
    frame = polars.DataFrame({"u": TEXTS, "v": TEXTS, "list": nested, "struct": structs})
    table = urimill.normalize(frame, uri="u", columns="host")
    assert written(table) < 10 * BYTES
    assert table["v"].to_pylist() == TEXTS and table["list"].to_pylist() == nested
    assert table["struct"].to_pylist() == structs
    assert written(table.slice(20_000, 10)) < 30_000


def test_views_in_give_views_out():
    assert urimill.normalize(polars.Series(TEXTS[:3]))["uri"].type == "Utf8View"
    assert urimill.normalize(polars.DataFrame({"u": TEXTS[:3]}), uri="u")["host"].type == "Utf8View"
    assert urimill.normalize(polars.Series([b"a:b"]))["uri"].type == "Utf8View"
    assert urimill.resolve(polars.Series(["a"]), "http://h/")["target"].type == "Utf8View"
    assert urimill.normalize(polars.Series(TEXTS[:3]), strings="string")["uri"].type == "Utf8"
    assert urimill.normalize(pyarrow.array(TEXTS[:3]))["uri"].type == "Utf8"
    assert urimill.normalize(TEXTS[:3])["uri"].type == "Utf8"
