"""Priors in random order are drawn once each, and the page says what they cost."""

import sys
from pathlib import Path

import pytest

from unprior import priors

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import quality_permuted
from quality_cases import Case, Recipe
from quality_permuted import Permuted, draw_permuted, permuted_blocks, read_permuted


@pytest.fixture
def recipe(two_groups, monkeypatch):
    X, known, hidden = two_groups
    case = Case(X, priors.labels(known), hidden, name="small")
    recipe = Recipe(case.name, "open", "a small one", lambda _: case)
    monkeypatch.setattr(quality_permuted, "RECIPES", {case.name: recipe})
    monkeypatch.setattr(Recipe, "load", lambda self, folder: self.make(folder))
    return recipe


def test_what_is_in_the_table_is_not_drawn_again(recipe, tmp_path):
    found = [*draw_permuted(tmp_path, None, [recipe.name], 2, 1)]
    assert read_permuted(tmp_path) == found
    assert [one.draw for one in found] == [0, 1]
    assert all(one.unseen and not one.cost for one in found)
    assert [*draw_permuted(tmp_path, None, [recipe.name], 2, 1)] == []


def test_the_cost_is_told_of_those_that_were_taken_for_more():
    found = [Permuted("a", 0, 1, 0.0, "x"), *(Permuted("b", d, 0, d / 10, "x") for d in (0, 1))]
    (text,) = permuted_blocks(found)
    assert "3, made from those of 2 cases. With 1 `embed` saw" in text
    assert "the 2 others were factored out" in text
    assert "by -0.050 ± 0.050" in text
    assert permuted_blocks([]) == []
