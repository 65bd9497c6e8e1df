"""The command line: python benchmarks/speed NAME [OPTIONS]."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: Modules that the benchmarks share.
SHARED = ("__init__", "__main__", "timing", "timing_data", "timing_results")


def benchmarks() -> dict[str, Path]:
    """Return the benchmarks by name."""
    return {path.stem: path for path in sorted(HERE.glob("*.py")) if path.stem not in SHARED}


def describe(path: Path) -> str:
    """Return the first line of a benchmark's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def main(words: list[str]) -> None:
    """Run a benchmark by name, or list all."""
    known = benchmarks()
    if not words or words[0] not in known:
        for name, path in known.items():
            print(f"{name:14} {describe(path)}")
        sys.exit(0 if words in ([], ["--list"], ["--help"]) else f"no benchmark {words[0]!r}")
    path = known[words[0]]
    sys.argv = [str(path), *words[1:]]
    runpy.run_path(str(path), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
