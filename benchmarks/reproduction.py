"""A run of `unprior reproduce all` -> the results and figures that docs/reproduction.md quotes.

    unprior reproduce all --data DIR --out reproduction
    python benchmarks/reproduction.py reproduction

Copies the run's sections and search tables to benchmarks/results/reproduction and the figures that
the page shows to docs/images/reproduction, then fills in the page's numbers.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import pages

RESULTS = pages.RESULTS / "reproduction"
PAGE = pages.ROOT / "docs" / "reproduction.md"


def take_over(run: Path) -> None:
    """Copy the results of a run, and fill in the page."""
    RESULTS.mkdir(exist_ok=True)
    for file in [*(run / "sections").glob("*.md"), *run.glob("*_search_*.csv")]:
        shutil.copy(file, RESULTS)
    for name in re.findall(r"\(images/reproduction/(.+?\.png)\)", PAGE.read_text(encoding="utf-8")):
        shutil.copy(run / name, PAGE.parent / "images" / "reproduction")
    pages.write()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="folder that the run wrote")
    take_over(parser.parse_args().run)
