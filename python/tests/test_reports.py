"""Reports: those of the program, states as bytes, and sums of states."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess

import conftest
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
