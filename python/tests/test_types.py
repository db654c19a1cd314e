"""Type checkers accept the package, a program that uses all of it, and each example of the documentation."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys

import duckdb
import pytest
import typed_program
from conftest import ROOT

import urimill

PAGES = ["docs/PYTHON.md", "docs/SPARK.md", "README.md", "python/README.md"]
#: pyarrow comes without types.
SETTINGS = "[mypy]\nstrict = true\n[mypy-pyarrow.*]\nignore_missing_imports = true\n"
#: Checkers do not know what is registered with Polars and pandas; they take an accessor for a value of a Series.
REGISTERED = re.compile(
    r'"Expr" has no attribute "uri"|attribute "uri" for class "Expr"'
    r'|"str" has no attribute "(host|frame)"|attribute "(host|frame)" for class "str"'
)


def run(command: list[str], folder: pathlib.Path) -> list[str]:
    """The errors of a checker."""
    # The package is that which is installed, and the tests' own files are not its.
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if re.search(r"\berror: | - error: ", line)]


def errors(folder: pathlib.Path) -> list[str]:
    """What mypy and pyright say of the programs in a folder."""
    (folder / "mypy.ini").write_text(SETTINGS)
    cache = os.environ.get("URIMILL_MYPY_CACHE", ".mypy")
    files = sorted(str(file.name) for file in folder.glob("*.py"))
    mypy = run(["mypy", "--config-file", "mypy.ini", "--cache-dir", cache, *files], folder)
    pyright = run(["pyright", "--pythonpath", sys.executable, *files], folder)
    return [line for line in mypy + pyright if not REGISTERED.search(line)]


def examples(page: str) -> list[str]:
    """The programs of a page. Sessions and blocks are one; a block that begins with ``import sys`` is a job of its own."""
    text = (ROOT / page).read_text()
    sessions = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    parts = [example.source for example in doctest.DocTestParser().get_examples("\n".join(sessions))]
    programs, whole = [], "".join(parts)
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if block.startswith("import sys"):
            programs.append(block)
        else:
            whole += block
    return [whole, *programs]


def test_checkers_accept_programs_and_examples(tmp_path):
    (tmp_path / "typed_program.py").write_text(pathlib.Path(typed_program.__file__).read_text())
    count = 0
    for page in PAGES:
        for program in examples(page):
            name = re.sub(r"\W", "_", page) + f"_{count}.py"
            (tmp_path / name).write_text(program)
            count += program.count("urimill")
    assert count > 40
    assert errors(tmp_path) == []


def test_checkers_find_what_is_wrong(tmp_path):
    wrong = """import urimill
urimill.normalize([1])
urimill.normalize(["a:b"], levle="syntax")
urimill.normalize(["a:b"], level="all")
urimill.normalize(["a:b"]).read_all()
urimill.normalize(["a:b"], stream=True).to_pylist()
urimill.convert("a", "b", to="xml")
"""
    (tmp_path / "wrong.py").write_text(wrong)
    lines = {int(number) for number in re.findall(r"wrong\.py:(\d+):", "\n".join(errors(tmp_path)))}
    assert lines == set(range(2, 8))


def test_the_program_uses_everything():
    source = pathlib.Path(typed_program.__file__).read_text()
    tree = ast.parse(source)
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    stub = ast.parse((ROOT / "python" / "urimill" / "_urimill.pyi").read_text())
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef) and node.name != "Engine"]
    members = {member.name for node in classes for member in node.body if isinstance(member, ast.FunctionDef)}
    import urimill.spark
    from urimill._namespace import Namespace

    names = {*urimill.__all__, *members, *vars(Namespace), *urimill.spark.__all__, "register", "struct", "frame"}
    assert {name for name in names if not name.startswith("_")} - used == set()


def test_the_program_runs(tmp_path):
    typed_program.main(tmp_path, duckdb.connect())


def test_overloads_have_the_keywords_of_their_functions():
    path = ROOT / "python" / "urimill" / "_calls.pyi"
    bodies = {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)}
    options = ROOT / "python" / "urimill" / "_options.pyi"
    bodies |= {node.name: node for node in ast.parse(options.read_text()).body if isinstance(node, ast.ClassDef)}

    def keywords(name: str) -> set[str]:
        node = bodies[name]
        own = {field.target.id for field in node.body if isinstance(field, ast.AnnAssign)}
        parents = [base.id for base in node.bases if base.id != "TypedDict"]
        return own.union(*map(keywords, parents))

    functions = [name for name in bodies if name not in ("Call", "Kept", "Texts") and not name.endswith("Options")]
    assert len(functions) == 11
    for name in functions:
        function = getattr(urimill, re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
        parameters = inspect.signature(function).parameters.values()
        own = {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
        if name == "Normalize":
            own |= keywords("RecordOptions")
        assert keywords(name) == own - {"stream"}, name


@pytest.mark.parametrize("name", ["polars", "pandas", "duckdb"])
def test_namespaces_are_for_those_who_ask(name):
    script = f"import sys, urimill; assert '{name}' not in sys.modules; import urimill.{name}; assert '{name}' in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert importlib.util.find_spec(f"urimill.{name}") is not None
