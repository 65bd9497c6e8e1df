"""Records ↔ lines of a CSV file, which grows as runs are done."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

Record = TypeVar("Record")

#: Digits of a number: as many as anybody reads.
DIGITS = 5


def append(path: Path, record: Any) -> None:
    """Add a line, with a head if the file is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = _whole_lines(path)
    if path.exists():
        # A line that was cut off when a run was killed goes, or the new one would be joined to it.
        os.truncate(path, len(whole))
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = _writer(file, type(record))
        if not whole:
            writer.writeheader()
        writer.writerow(_as_line(record))


def rewrite(path: Path, kind: type, records: Iterable[Any]) -> None:
    """Replace a file, in one step: if this is stopped, the old one stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".new")
    with scratch.open("w", newline="", encoding="utf-8") as file:
        writer = _writer(file, kind)
        writer.writeheader()
        writer.writerows(map(_as_line, records))
    scratch.replace(path)


def read(path: Path, kind: type[Record]) -> Iterator[Record]:
    """Read records, without a line that was cut off; none if there is no file."""
    readers = {field.name: _reader(str(field.type)) for field in fields(kind)}  # type: ignore[arg-type]
    for line in csv.DictReader(io.StringIO(_whole_lines(path).decode("utf-8"), newline="")):
        yield kind(**{name: take(line[name]) for name, take in readers.items()})


def _reader(kind: str) -> Any:
    if kind == "float":
        return lambda text: float(text) if text else float("nan")
    return int if kind == "int" else str


def _as_line(record: Any) -> dict[str, Any]:
    return {name: _text(value) for name, value in asdict(record).items()}


def _text(value: Any) -> Any:
    if isinstance(value, float):
        return "" if value != value else f"{value:.{DIGITS}g}"
    return value


def _whole_lines(path: Path) -> bytes:
    text = path.read_bytes() if path.exists() else b""
    return text[: text.rfind(b"\n") + 1]


def _writer(file: Any, kind: type) -> csv.DictWriter[str]:
    return csv.DictWriter(file, [field.name for field in fields(kind)], lineterminator="\n")
