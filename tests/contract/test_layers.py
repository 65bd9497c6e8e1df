"""Imports point one way, and the package itself imports nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import unprior

ROOT = Path(unprior.__file__).parent

#: From the bottom up: a folder may import those before it, and the modules next to them.
ORDER = [
    "kernels",
    "storage",
    "geometry",
    "priors",
    "neighbors",
    "operators",
    "affinities",
    "forces",
    "objectives",
    "optimize",
    "lle",
    "residual",
    "embedders",
    "transform",
    "estimators",
    "models",
    "scores",
    "datasets",
    "plot",
    "tuning",
    "tl",
    "pl",
    "reproduce",
    "files",
    "explorer",
    "cli",
]


def imported(path):
    """Folders of unprior that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "unprior" and len(parts) > 1 and parts[1] in ORDER:
                yield parts[1]


@pytest.mark.parametrize("folder", ORDER)
def test_imports_point_down(folder):
    allowed = {*ORDER[: ORDER.index(folder) + 1]}
    for path in (ROOT / folder).rglob("*.py"):
        assert {*imported(path)} <= allowed, path.name


def test_every_folder_is_in_the_order():
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert folders == {*ORDER}


@pytest.mark.parametrize("code", ["import unprior", "import unprior; dir(unprior)"])
def test_the_import_is_light(code):
    heavy = ["numba", "umap", "matplotlib", "openTSNE", "pandas", "sklearn", "scipy"]
    check = f"{code}; import sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_estimators_load_compiled_code_when_they_need_it():
    check = "import unprior.estimators, sys; print({'numba', 'umap', 'openTSNE'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_every_public_name_exists():
    for name in unprior.__all__:
        assert getattr(unprior, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = unprior.nothing_like_this
