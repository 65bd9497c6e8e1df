"""Notebooks of docs/ contain the outputs of a complete run, and a new run gives the same."""

import base64
import importlib.util
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")

HOME = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(HOME.glob("*.ipynb"))

#: Scores may differ between processors by as much.
TOLERANCE = 0.05


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(notebook):
    """Words and numbers that the cells have printed, in order."""
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    return "".join(o.text for o in outputs if o.output_type == "stream").split()


def pictures(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    return [o.data["image/png"] for o in outputs if "image/png" in o.get("data", ())]


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_of_one_run_from_top_to_bottom(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert len(pictures(notebook)) >= 2
    assert max(len(base64.b64decode(picture)) for picture in pictures(notebook)) < 150_000
    assert path.stem in (HOME / "index.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_new_run_says_the_same(path):
    pytest.importorskip("ipykernel")
    spec = importlib.util.spec_from_file_location("run_notebooks", HOME / "run.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    again, kept = script.run(path), nbformat.read(path, as_version=4)
    said, wanted = printed(again), printed(kept)
    # The worst class may be another one on another processor; numbers may not be far off.
    pairs = [(number(a), number(b)) for a, b in zip(said, wanted, strict=False)]
    far = [pair for pair in pairs if None not in pair and abs(pair[0] - pair[1]) > TOLERANCE]
    assert far == []
    assert len(pictures(again)) == len(pictures(kept))
