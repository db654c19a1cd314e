"""Reports: those of the program, states as bytes, and sums of states."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess

import conftest
import polars
import pyarrow
import pyarrow.parquet as pq
import pytest

import urimill

LOGS = [
    ("apache_access_semicomplete.log", {}),
    ("heritrix_crawl.log", {"format": "heritrix", "threads": 1}),
    ("pywb_iana.cdxj", {"level": "syntax", "chunk": "64K"}),
]


def of_program(folder, path, **options):
    """The figures, the state and the page that the program makes."""
    names = {"format": "from"}
    given = [f"--{names.get(name, name)}={value}" for name, value in options.items()]
    outputs = [f"--json={folder / 'p.json'}", f"--state={folder / 'p.state'}", f"-o{folder / 'p.html'}", "--force"]
    arguments = [conftest.program(), "report", *given, *outputs, "--summary", "none", "--", str(path)]
    subprocess.run(arguments, check=True)
    return json.loads((folder / "p.json").read_text()), (folder / "p.state").read_bytes(), (folder / "p.html").read_text()


@pytest.mark.parametrize(("name", "options"), LOGS, ids=[row[0] for row in LOGS])
def test_report_is_that_of_the_program(name, options, corpora, tmp_path):
    figures, state, page = of_program(tmp_path, corpora / name, **options)
    outputs = {"json": tmp_path / "a.json", "state": tmp_path / "a.state"}
    made = urimill.report(corpora / name, tmp_path / "a.html", **outputs, **options)
    assert figures["accounts"]["records"] > 0
    assert made.to_dict() == figures == json.loads(outputs["json"].read_text())
    assert made.accounts == figures["accounts"]
    assert made.to_bytes() == state == outputs["state"].read_bytes()
    assert made.to_html(name) == page == (tmp_path / "a.html").read_text()


@pytest.mark.parametrize("name", [row[0] for row in LOGS])
def test_report_of_a_table_is_that_of_its_file(name, corpora, tmp_path):
    """As a table, by batches as a stream, with a dictionary, and from Polars, which has types of its own."""
    file = tmp_path / "a.parquet"
    urimill.convert(corpora / name, file, base="http://example.com/", level="none")
    whole = urimill.report(file, uri_field="uri").to_dict(most=100_000)
    whole["formats"], whole["inputs"]["names"], whole["accounts"]["bytes"] = ["arrow"], ["the table"], 0
    for code in whole["rejects"].values():
        code["examples"] = [{**example, "source": "the table"} for example in code["examples"]]
    table = pq.read_table(file)
    place = table.column_names.index("uri")
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=700))
    dictionary = table.set_column(place, "uri", table["uri"].dictionary_encode())
    for data in [table, dictionary, reader, polars.from_arrow(table)]:
        found = urimill.report(data, uri="uri").to_dict(most=100_000)
        found["accounts"]["bytes"] = 0
        assert found == whole


def test_tables_of_all_kinds(tmp_path):
    table = pyarrow.table(
        {"url": ["http://h/", "/a b", None], "status": [200.0, 404.0, None], "time": [1_700_000_000, None, 20_231_114]}
    )
    outputs = {"json": tmp_path / "a.json", "state": tmp_path / "a.state"}
    state = urimill.report(table, tmp_path / "a.html", uri="url", title="<T>", **outputs)
    assert state.accounts["records"] == 3 and state.accounts["rejects"] == 1 and state.accounts["nulls"] == 1
    assert state.to_dict()["series"]["first"] == "2023-11-14 00:00:00"
    assert state.to_dict()["rejects"]["path_invalid_char"]["examples"][0]["source"] == "the table"
    assert "<h1>&lt;T&gt;</h1>" in (tmp_path / "a.html").read_text()
    assert urimill.ReportState.from_bytes(outputs["state"].read_bytes()) == state
    # One column needs no name.
    assert urimill.report(table["url"]).accounts["records"] == 3
    assert urimill.report(pyarrow.table({"a": table["url"]})).accounts["nulls"] == 1
    assert urimill.report(table.slice(0, 0), uri="url").accounts["records"] == 0
    assert urimill.report(urimill.normalize(table, uri="url"), uri="uri").accounts["records"] == 3

    def failing():
        yield table.to_batches()[0]
        raise RuntimeError("no more")

    reader = pyarrow.RecordBatchReader.from_batches(table.schema, failing())
    for data, options, error, sentence in [
        (table, {}, ValueError, "the table has several columns"),
        (table, {"uri": "link"}, ValueError, 'there is no column "link" for uri'),
        (table, {"uri": "status"}, TypeError, 'the column "status" of type Float64'),
        (table, {"uri": "url", "format": "csv"}, ValueError, "not to tables"),
        (table, {"uri": "url", "log_format": "common"}, TypeError, "log_format"),
        (table, {"uri": "url", "base": "nowhere"}, ValueError, "nowhere"),
        (table, {"uri": "url", "json": tmp_path / "b", "state": tmp_path / "b"}, ValueError, "b"),
        (reader, {"uri": "url"}, RuntimeError, "no more"),
        ("a.log", {"uri": "url"}, ValueError, "uri names a column of a table"),
    ]:
        with pytest.raises(error, match=sentence):
            urimill.report(data, **options)
    assert not (tmp_path / "b").exists()


def test_states_add_up(tmp_path):
    days = [tmp_path / f"{day}.txt" for day in range(3)]
    for number, day in enumerate(days):
        day.write_text("".join(f"http://h{n % (number + 2)}.example/{n}?q={n}\n" for n in range(500)) + "http://[/\n")
    whole = urimill.report(days)
    states = [urimill.report(day) for day in days]
    for parts in [states, [state.to_bytes() for state in states], reversed(states), [states[0], states[1].to_bytes(), states[2]]]:
        merged = urimill.ReportState.merge(parts)
        assert merged.to_dict() == whole.to_dict()
        assert merged == urimill.ReportState.from_bytes(merged.to_bytes()) == pickle.loads(pickle.dumps(merged))
    assert states[0] != states[1] and states[0] != "a state"
    assert copy.deepcopy(states[0]) == states[0]
    assert repr(whole) == "urimill.ReportState: 1503 records = 1500 URI references + 3 rejects"
    assert urimill.ReportState.merge([]).accounts["records"] == 0
    # By way of files, which a report takes as inputs.
    for number, state in enumerate(states):
        (tmp_path / f"{number}.state").write_bytes(state.to_bytes())
    assert urimill.report(tmp_path / "*.state").to_dict() == whole.to_dict()
    assert len(whole.to_dict(most=1)["figures"]["host"]["top"]) == 1


def test_states_that_do_not_go_together(tmp_path):
    """An input counts once, and figures mean the same; whoever insists gets them all the same."""
    for name, text in [("a", "http://h/\n/b\n"), ("b", "/c\n"), ("copy", "http://h/\n/b\n")]:
        (tmp_path / f"{name}.txt").write_text(text)
    a, b, copied = (urimill.report(tmp_path / f"{name}.txt") for name in ["a", "b", "copy"])
    based = urimill.report(tmp_path / "b.txt", base="http://h/")
    table = pyarrow.table({"url": ["http://h/"], "status": [200]})
    one, other = urimill.report(table, uri="url"), urimill.report(table.set_column(1, "status", [[404]]), uri="url")
    for states, sentence in [
        ([a, a], "both hold the input .*a.txt.*force"),
        ([a, copied.to_bytes()], "both hold the input .*a.txt"),
        ([a, based], "without base, and another with base='http://h/'|without base, and another with base"),
        ([one, one], "both hold the input the table"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            urimill.ReportState.merge(states)
        merged = urimill.ReportState.merge(states, force=True)
        assert merged.accounts["records"] == sum(
            urimill.ReportState.merge([state]).accounts["records"] for state in states
        )
    assert urimill.ReportState.merge([a, b]).accounts["records"] == 3
    assert urimill.ReportState.merge([one, other, a]).accounts["records"] == 4
    (tmp_path / "a.state").write_bytes(a.to_bytes())
    with pytest.raises(ValueError, match="both hold the input"):
        urimill.report([tmp_path / "a.state", tmp_path / "a.state"])
    assert urimill.report([tmp_path / "a.state"] * 2, force=True).accounts["records"] == 4


def test_progress_and_title(tmp_path):
    log = tmp_path / "a.txt"
    log.write_text("http://example.com/\n" * 10)
    told = []
    urimill.report(log, tmp_path / "a.html", title="A <day>", progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (log.stat().st_size, log.stat().st_size, 10)
    assert "A &lt;day&gt;" in (tmp_path / "a.html").read_text()


REFUSED = [
    ({"colour": 1}, TypeError, "unexpected keyword argument 'colour'"),
    ({"sort_by": "uri"}, TypeError, "unexpected keyword argument 'sort_by'"),
    ({"keep": "all"}, TypeError, "unexpected keyword argument 'keep'"),
    ({"mask_passwords": True}, TypeError, "unexpected keyword argument 'mask_passwords'"),
    ({"output": "-"}, ValueError, "output is a file"),
    ({"json": ""}, ValueError, "json is a file"),
    ({"format": "nothing"}, ValueError, "nothing"),
    ({"uri_field": "a", "format": "warc"}, ValueError, "uri_field"),
    ({"on_damage": "cry"}, ValueError, "on_damage"),
    ({"threads": 0}, ValueError, "threads is 0"),
]


@pytest.mark.parametrize(("options", "error", "sentence"), REFUSED, ids=[str(row[0]) for row in REFUSED])
def test_refused(options, error, sentence, tmp_path):
    log = tmp_path / "a.txt"
    log.write_text("http://example.com/\n")
    with pytest.raises(error, match=sentence):
        urimill.report(log, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_no_states(tmp_path):
    (tmp_path / "a.txt").write_text("a:b\n")
    state = urimill.report(tmp_path / "a.txt", tmp_path / "a.html")
    data = state.to_bytes()
    for wrong, sentence in [(b"", "no state"), (data[:-1], "checksum"), (data[:50] + b"x" + data[51:], "checksum")]:
        with pytest.raises(OSError, match=sentence):
            urimill.ReportState.from_bytes(wrong)
        with pytest.raises(OSError, match=sentence):
            urimill.ReportState.merge([state, wrong])
    with pytest.raises(TypeError, match="a ReportState or bytes, not str"):
        urimill.ReportState.merge([state, "a"])
    with pytest.raises(FileNotFoundError):
        urimill.report(tmp_path / "missing.log")
    with pytest.raises(ValueError, match="force"):
        urimill.report(tmp_path / "a.txt", tmp_path / "a.html")
    urimill.report(tmp_path / "a.txt", tmp_path / "a.html", force=True)
    with pytest.raises(TypeError):
        urimill.ReportState()


def test_states_in_any_bytes():
    state = urimill.report(pyarrow.table({"u": ["http://a/"]}), uri="u")
    stored = state.to_bytes()
    # Spark 3.5 has binary columns as bytearray, and so has 4 by its setting.
    for kind in [bytes, bytearray, memoryview]:
        assert urimill.ReportState.from_bytes(kind(stored)) == state
        assert urimill.ReportState.merge([kind(stored), state], force=True).accounts["records"] == 2
    for wrong in ["text", 5, None]:
        with pytest.raises(TypeError, match="a state is a ReportState or bytes, not"):
            urimill.ReportState.merge([wrong])
        with pytest.raises(TypeError, match="a state is a ReportState or bytes, not"):
            urimill.ReportState.from_bytes(wrong)
