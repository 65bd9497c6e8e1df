"""Count what makes source folders easy or hard to navigate: files, lines, imports.

    python benchmarks/house.py src/unprior
    git worktree add ../before v0.1 && python benchmarks/house.py ../before/src/unprior src/unprior

One column of numbers per folder. Modules whose only importer is the ``__init__.py`` of their folder
hold public names and are not counted as having one importer.
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

#: An `isinstance` test on a kind of prior or of distances.
ON_KINDS = re.compile(
    r"isinstance\([^)]*(Labels|Features|Geo|Cyclic|Tree|Graph|Kernel|Combined|Several|Distances)\b"
)

#: A file with more lines than this counts as long.
LONG = 300


def modules(root: Path) -> dict[str, Path]:
    """Return the modules of a package by their dotted names."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else node.module


def folder(path: Path, root: Path) -> str:
    """Return the folder of a module below the package."""
    parts = path.relative_to(root).parts
    return parts[0] if len(parts) > 1 else ""


def count(root: Path) -> dict[str, float]:
    """Return the counts of one package."""
    known = modules(root)
    importers: dict[str, set[str]] = defaultdict(set)
    private = 0
    for name, path in known.items():
        for target in {*imports(path, known)}:
            if target not in known:
                continue
            importers[target].add(name)
            there, here = folder(known[target], root), folder(path, root)
            private += there not in ("", here) and target.split(".")[-1].startswith("_")
    texts = {name: path.read_text(encoding="utf-8") for name, path in known.items()}
    lines = [len(text.splitlines()) for text in texts.values()]
    text = "\n".join(texts.values())
    return {
        "files": len(known),
        "lines": sum(lines),
        "lines of the median file": statistics.median(lines),
        f"files of more than {LONG} lines": sum(n > LONG for n in lines),
        "files of fewer than 45 lines": sum(n < 45 for n in lines),
        "modules with one importer": sum(
            len(who) == 1 and known[next(iter(who))].name != "__init__.py"
            for who in importers.values()
        ),
        "imports of another folder's private modules": private,
        "isinstance tests on kinds of priors or distances": len(ON_KINDS.findall(text)),
        "functions that take **options: Any": text.count("**options: Any"),
        "stacklevel counted by hand": len(re.findall(r"stacklevel=\d", text)),
    }


def main() -> None:
    """Print the table."""
    columns = [count(Path(root).resolve()) for root in sys.argv[1:] or ["src/unprior"]]
    for name in columns[0]:
        print(f"{name:50}", *(f"{column[name]:>8g}" for column in columns))


if __name__ == "__main__":
    main()
