"""The page on the reproduction names files and tests that exist, and types no measured number."""

import csv
import re
from pathlib import Path

import pytest

import unprior
from unprior.datasets import make_tuning
from unprior.reproduce._grids import search_grids
from unprior.reproduce._synthetic import PAPER_KEPT, PAPER_LEFT
from unprior.reproduce._tuning import SAMPLES, SERIES

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "reproduction"
PAGE = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
#: Blocks that `benchmarks/pages.py` fills in.
FILLED = re.compile("<!-- numbers: .*?<!-- end -->", re.DOTALL)


def rows_below(heading):
    """Cells of the first table after a heading, without its header."""
    text = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [line.strip().strip("|").split(" | ") for line in lines[2:]]


ITEMS = rows_below("Everything in the paper, and where it is")


def test_no_cell_of_the_table_is_empty():
    assert len(ITEMS) > 40
    for row in ITEMS:
        assert len(row) == 4
        assert all(cell.strip() for cell in row)


def is_there(name):
    """Whether a file, a folder or a public name of the library exists."""
    path = ROOT / "src" / "unprior" / name
    return path.is_dir() if name.endswith("/") else path.is_file() or hasattr(unprior, name)


def test_what_is_missing_is_noticed():
    assert not any(map(is_there, ("operators/_nothing.py", "nothing/", "factor_in")))


@pytest.mark.parametrize("row", ITEMS, ids=lambda row: row[0].strip()[:40])
def test_files_and_tests_of_an_item_exist(row):
    sources, tests = (re.findall("`([^`]+)`", cell) for cell in row[1:3])
    assert sources
    assert all(is_there(name) for name in sources)
    assert tests
    for name in tests:
        file, test = name.split("::")
        assert f"def {test}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ITEMS, ids=lambda row: row[0].strip()[:40])
def test_every_item_is_judged(row):
    assert re.match("(yes|in part|no|other data)", row[3].strip())


def test_all_settings_of_the_papers_grids_were_run():
    """The scores of every setting, with which the page says what is best, are on file."""
    data = make_tuning(SAMPLES, random_state=0)
    for name, grid in search_grids(data).items():
        settings = {grid.describe(point) for point in grid.points()}
        for series in SERIES:
            file = RESULTS / f"{series}_search_{name}.csv"
            with file.open(encoding="utf-8", newline="") as lines:
                scored = {row["setting"] for row in csv.DictReader(lines)}
            assert settings <= scored


def test_every_difference_has_its_reason():
    differences = rows_below("Where this code differs from the text")
    assert len(differences) > 15
    assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in differences)


def test_no_measured_number_is_typed():
    numbers = re.findall(r"(?<![\d.])0?(\.\d{2,3})(?!\d)", FILLED.sub("", PAGE))
    paper = {*PAPER_KEPT.values(), *PAPER_LEFT.values(), ".002"}
    options = {".47", ".99", ".01", ".001"}
    assert {*numbers} <= paper | options


def test_every_figure_is_there_and_described():
    shown = re.findall(r"!\[.+\]\(images/reproduction/(.+\.png)\)\n\n(.*)", PAGE)
    folder = ROOT / "docs" / "images" / "reproduction"
    assert {name for name, _ in shown} == {path.name for path in folder.glob("*.png")}
    assert all(description.startswith("*") for _, description in shown)
