"""Source files → a short name: the same for all texts that draw and score the same maps."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache as remember
from pathlib import Path

import unprior

#: Parts of the library that no map of the benchmark and no score goes through.
ASIDE = frozenset({"_version.py", "cli", "files", "pl", "plot", "reproduce", "tl"})
#: Of the benchmark's own files, those that draw and score.
OWN = ("quality_methods.py", "quality_scores.py")


@remember
def library_state() -> str:
    """Return a short name for the code of library, cases, methods and scores.

    Comments and descriptions do not count, nor does what only reads files or writes pages. Names
    made with two versions of Python can differ.
    """
    source = hashlib.sha256()
    for path in _files():
        source.update(path.name.encode() + code(path.read_text(encoding="utf-8")).encode())
    return source.hexdigest()[:8]


def code(text: str) -> str:
    """Return what a source text does, without what it says to its readers."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def _files() -> Iterator[Path]:
    here, library = Path(__file__).parent, Path(unprior.__file__).parent
    for path in sorted(library.rglob("*.py")):
        if path.relative_to(library).parts[0] not in ASIDE:
            yield path
    yield from (here / name for name in OWN)
    yield from sorted(here.glob("quality_cases/*.py"))
