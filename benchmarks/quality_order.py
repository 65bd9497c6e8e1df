"""Tables as they grew → the same with one line a run, in an order that does not depend on when.

So a difference between two versions of a table shows what was run, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quality_about import ABOUT
from quality_cases import RECIPES
from quality_checks import CHECKS, read_checks
from quality_permuted import PERMUTED, read_permuted
from quality_repeat import REPEATS, read_repeats
from quality_run import CASES, RESULTS, read_profiles, read_runs
from quality_tables import rewrite

READERS: dict[str, Callable[[Path], Iterable[Any]]] = {
    RESULTS: read_runs,
    CASES: lambda tables: read_profiles(tables).values(),
    CHECKS: read_checks,
    PERMUTED: read_permuted,
    REPEATS: read_repeats,
}


def order_tables(tables: Path) -> None:
    """Order all tables of a folder by case, method and seed."""
    for name, read in READERS.items():
        # Repeats of one run stay in the order in which they were made.
        rewrite(tables / name, sorted(read(tables), key=place))


def place(record: Any) -> tuple[Any, ...]:
    """Return what to sort by: cases and methods in their own order, unknown ones after them."""
    line = asdict(record)
    seed = line.get("seed", line.get("draw", 0))
    return *_at([*RECIPES], line["case"]), *_at([*ABOUT], line.get("method", "")), seed


def _at(names: Sequence[str], name: str) -> tuple[int, str]:
    return (names.index(name) if name in names else len(names)), name
