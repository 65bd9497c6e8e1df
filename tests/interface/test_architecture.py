"""The page on the layout names files that exist, and its picture has every folder."""

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
