"""The examples of the documentation run and give the shown results."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import os
import pkgutil
import re

import pytest
from conftest import ROOT

import urimill

PAGES = [ROOT / "docs" / "PYTHON.md", ROOT / "python" / "README.md", ROOT / "README.md"]


def documented():
    """Everything with a docstring: of modules, functions, classes and their members."""
    for module in pkgutil.iter_modules(urimill.__path__, "urimill."):
        if module.name == "urimill.__main__":
            continue
        yield module.name, importlib.import_module(module.name).__doc__
    yield "urimill", urimill.__doc__
    for name in urimill.__all__:
        value = getattr(urimill, name)
        if not (inspect.isclass(value) or callable(value)):
            continue
        yield name, value.__doc__
        members = vars(value).items() if inspect.isclass(value) else ()
        yield from ((f"{name}.{member}", getattr(own, "__doc__", None)) for member, own in members)


EXAMPLES = [(name, doc) for name, doc in documented() if doc and ">>>" in doc]


def test_what_is_public_is_documented():
    told = dict(documented())
    missing = [name for name, doc in told.items() if not doc and not re.search(r"\._|__", name)]
    assert missing == []
    assert len(EXAMPLES) > 20


@pytest.mark.parametrize(("name", "doc"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples(name, doc):
    check(doctest.DocTestParser().get_doctest(doc, {}, name, None, None))


def check(examples: doctest.DocTest) -> None:
    assert examples.examples
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples, out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page, tmp_path, monkeypatch):
    """The sessions of a page in order, in one folder."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```pycon\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    check(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), None))


def rows():
    """The tables of expressions: what another package says, and what urimill says."""
    page = PAGES[0].read_text()
    for line in page[page.index("## For those who come") :].splitlines():
        cells = re.findall(r"`([^`]+)`", line)
        if line.startswith("| `") and len(cells) >= 4:
            yield tuple(cell.replace("\\|", "|") for cell in cells[:4])


NAMES = """
from urllib.parse import *
from urllib.parse import urlsplit, urljoin, quote, unquote, parse_qsl, urldefrag
import urimill
from urimill import URI
"""


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row[0])
def test_rows(row):
    names: dict = {}
    exec(NAMES, names)
    for package in ["yarl", "w3lib.url"]:
        names[package.split(".")[0]] = __import__(package)
    for expression, result in [row[:2], row[2:]]:
        try:
            told = eval(expression, names)
        except Exception as error:
            told = type(error).__name__
            assert told == result, (expression, error)
            continue
        assert told == ast.literal_eval(result), expression


def test_there_are_rows():
    assert len(list(rows())) > 25


def test_stubs_name_what_there_is():
    from urimill import _urimill

    stub = ast.parse((ROOT / "python" / "urimill" / "_urimill.pyi").read_text())
    names = lambda nodes: {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}  # noqa: E731
    told = names(stub.body) | {"__version__"}
    there = {name for name in vars(_urimill) if not name.startswith("__")} | {"__version__"}
    assert told == there
    generated = {"__doc__", "__module__", "__new__", "__repr__", "__str__", "__reduce__", "__hash__", "__eq__"}
    order = {"__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            members = set(vars(getattr(_urimill, node.name))) - generated - order
            assert members == names(node.body) - generated, node.name


def test_the_notebook(monkeypatch):
    """Each cell runs, and what it ends with is what the notebook shows; URIMILL_WRITE_DOCS=1 writes that anew."""
    monkeypatch.chdir(ROOT)
    path = ROOT / "docs" / "notebook.ipynb"
    notebook = json.loads(path.read_text())
    names: dict[str, object] = {}
    for count, cell in enumerate((cell for cell in notebook["cells"] if cell["cell_type"] == "code"), 1):
        body = ast.parse("".join(cell["source"])).body
        end = body.pop()
        assert isinstance(end, ast.Expr), "a cell ends with what it shows"
        exec(compile(ast.Module(body, []), path.name, "exec"), names)
        shown = repr(eval(compile(ast.Expression(end.value), path.name, "eval"), names))
        data = {"text/plain": shown.splitlines(keepends=True)}
        outputs = [{"output_type": "execute_result", "metadata": {}, "execution_count": count, "data": data}]
        if os.environ.get("URIMILL_WRITE_DOCS"):
            cell["outputs"], cell["execution_count"] = outputs, count
        assert cell["outputs"] == outputs
    if os.environ.get("URIMILL_WRITE_DOCS"):
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
