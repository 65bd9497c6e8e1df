"""Records ↔ lines of a table in a file, which grows as runs are done.

Lines end as version control likes them, and numbers have as many digits as anybody reads.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

#: Digits of a number in a table; two numbers of at most 1 that agree in them differ by less than
#: 1e-5.
DIGITS = 5


def append(path: Path, records: Iterable[Any]) -> None:
    """Add lines to a table, with a head if it is new, and with new columns if it is old."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for record in records:
        columns = _complete_head(path, [field.name for field in fields(record)])
        # What was cut off goes, or the new line would be the rest of it.
        os.truncate(path, len(_whole_lines(path)))
        with path.open("a", newline="", encoding="utf-8") as file:
            _writer(file, columns).writerow(as_line(record))


def rewrite(path: Path, records: Sequence[Any]) -> None:
    """Replace all lines of a table."""
    if records:
        _replace(path, [field.name for field in fields(records[0])], map(as_line, records))


def as_line(record: Any) -> dict[str, Any]:
    """Return what a table holds of a record."""
    return {
        name: f"{value:.{DIGITS}g}" if isinstance(value, float) else value
        for name, value in asdict(record).items()
    }


def read_lines(path: Path) -> Iterator[dict[str, str]]:
    """Read a table line by line, without those that are not whole; none without a table."""
    lines = _read_words(path)
    head = next(lines, [])
    for words in lines:
        if len(words) == len(head):
            yield dict(zip(head, words, strict=True))


def _read_words(path: Path) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(_whole_lines(path).decode("utf-8"), newline=""))


def _whole_lines(path: Path) -> bytes:
    """Return a table without the line at its end that was cut off when a run was killed, if any."""
    text = path.read_bytes() if path.exists() else b""
    return text[: text.rfind(b"\n") + 1]


def _complete_head(path: Path, wanted: Sequence[str]) -> list[str]:
    """Return the columns of a table, which is written anew where its head lacks some."""
    head = next(_read_words(path), [])
    columns = [*head, *(name for name in wanted if name not in head)]
    if columns != head:
        _replace(path, columns, [*read_lines(path)])
    return columns


def _replace(path: Path, columns: Sequence[str], lines: Iterable[dict[str, Any]]) -> None:
    scratch = path.with_suffix(".new")
    with scratch.open("w", newline="", encoding="utf-8") as file:
        writer = _writer(file, columns)
        writer.writeheader()
        writer.writerows(lines)
    # In one step: a run that is stopped here leaves the old table.
    scratch.replace(path)


def _writer(file: Any, columns: Sequence[str]) -> csv.DictWriter[str]:
    return csv.DictWriter(file, columns, restval="", lineterminator="\n")
