"""Records ↔ lines of a table in a file, which grows as runs are done."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any


def append(path: Path, records: Iterable[Any]) -> None:
    """Add lines to a table, with a head if it is new, and with new columns if it is old."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for record in records:
        columns = _complete_head(path, [field.name for field in fields(record)])
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, columns, restval="").writerow(asdict(record))


def read_lines(path: Path) -> Iterator[dict[str, str]]:
    """Read a table line by line, with empty words where a line is short; none without a table."""
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            yield from csv.DictReader(file, restval="")


def _complete_head(path: Path, wanted: Sequence[str]) -> list[str]:
    """Return the columns of a table, which is written anew where its head lacks some."""
    head: list[str] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            head = next(csv.reader(file), [])
    columns = [*head, *(name for name in wanted if name not in head)]
    if columns != head:
        lines, scratch = [*read_lines(path)], path.with_suffix(".new")
        with scratch.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, restval="")
            writer.writeheader()
            writer.writerows(lines)
        # In one step: a run that is stopped here leaves the old table.
        scratch.replace(path)
    return columns
