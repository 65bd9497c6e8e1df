"""What the pages on the layout say about files, folders and tests is true."""

import ast
import importlib.util
import re
from pathlib import Path

import unprior

ROOT = Path(__file__).parents[2]
PACKAGE = Path(unprior.__file__).parent


def test_the_files_it_names_exist():
    for page in (ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"):
        named = re.findall(r"`(\w+/_\w+\.py|_\w+\.py)`", page.read_text(encoding="utf-8"))
        assert named
        assert [name for name in named if not (PACKAGE / name).is_file()] == []


def lines_of_code(path):
    """Lines of a file without its docstrings."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None
    ]
    return len(text.splitlines()) - sum(d.end_lineno - d.lineno + 1 for d in docstrings)


def test_no_file_is_longer_than_the_house_rules_allow():
    lengths = {str(path): lines_of_code(path) for path in PACKAGE.rglob("*.py")}
    assert {path: length for path, length in lengths.items() if length > 300} == {}


def test_tests_are_in_the_folder_of_what_they_test():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    tested = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders - tested == {"cli"}  # as users meet it: tests/interface


def test_the_picture_has_every_folder_and_is_what_the_script_draws(monkeypatch, tmp_path):
    script = ROOT / "docs" / "draw_architecture.py"
    spec = importlib.util.spec_from_file_location("draw_architecture", script)
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {*drawing.BOXES} == folders
    committed = drawing.OUT.read_text(encoding="utf-8")
    monkeypatch.setattr(drawing, "OUT", tmp_path / "architecture.svg")
    drawing.main()
    assert drawing.OUT.read_text(encoding="utf-8") == committed
