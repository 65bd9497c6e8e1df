"""Other packaging files agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]

#: Names that differ on conda-forge.
ON_CONDA = {"matplotlib": "matplotlib-base"}


def plain(requirement):
    name, bounds = re.fullmatch(r"([\w.-]+)\s*(.*)", requirement).groups()
    return f"{ON_CONDA.get(name, name)} {bounds}".lower()


def test_the_conda_recipe_has_the_same_dependencies():
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text()
    run = re.search(r"^  run:\n(.*?)\n\n", recipe, re.DOTALL | re.MULTILINE)[1]
    asked = [line.strip(" -") for line in run.splitlines()]
    assert asked[0].startswith("python >=")
    assert asked[1:] == [plain(each) for each in PROJECT["dependencies"]]


@pytest.mark.parametrize("file", ["Dockerfile", "Makefile", "README.md", "docs/shell.md"])
def test_extras_that_are_named_exist(file):
    text = (ROOT / file).read_text()
    named = re.findall(r"(?:unprior|\.|\)\"?|whl\)?)\[([\w,]+)\]", text)
    assert named, file
    for extras in named:
        assert {*extras.split(",")} <= {*EXTRAS}, extras


def test_the_dockerfile_copies_what_the_build_needs():
    text = (ROOT / "Dockerfile").read_text()
    ignored = (ROOT / ".dockerignore").read_text()
    for name in ("pyproject.toml", "README.md", "LICENSE", "src"):
        assert name in re.search(r"COPY (pyproject.*?)\nRUN", text, re.DOTALL)[1]
        assert f"!{name}" in ignored


def test_scanpy_s_neighbours_are_pinned():
    assert any(re.match(r"pynndescent.*<0\.6", each) for each in EXTRAS["anndata"])
