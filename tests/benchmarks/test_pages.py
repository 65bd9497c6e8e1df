"""Figures that pages quote agree with the results."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("pages", ROOT / "benchmarks" / "pages.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_pages_are_as_the_script_writes_them(pages):
    for name in pages.PAGES:
        page = (ROOT / name).read_text(encoding="utf-8")
        assert pages.REGION.search(page)
        assert pages.fill(page) == page, f"{name}: call make numbers"


def test_a_figure_that_was_typed_in_is_noticed(pages):
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    typed_in = re.sub(r"\| openTSNE \| \d+ \|", "| openTSNE | 0 |", page, count=1)
    assert typed_in != page
    assert pages.fill(typed_in) == page


def test_every_figure_is_quoted_somewhere(pages):
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in pages.PAGES)
    assert {found[2] for found in pages.REGION.finditer(text)} == {
        *pages.NUMBERS,
        *pages.reproduced(),
    }
