"""Sections of experiments → one page of results, ``results.md``, in the order of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior._version import __version__

PAGE = "results.md"
#: Each experiment's own part of the page; runs into one folder add up.
PARTS = "sections"

NO_FIGURE = "–"


@dataclass(frozen=True)
class Section:
    """What an experiment found: a title, and paragraphs, tables and figures in Markdown."""

    title: str
    blocks: Sequence[str]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: words to the left in the first column, the rest to the right."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def area(value: float) -> str:
    """Return three digits, and no minus before a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def spread(values: Sequence[float]) -> str:
    """Return mean ± standard deviation, or the value if it is the only one."""
    mean = area(float(np.mean(values)))
    return f"{mean} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else mean


def figure(name: str, caption: str) -> str:
    """Return a Markdown figure."""
    return f"![{caption}]({name})\n\n*{caption}*"


def save_maps(folder: Path, experiment: str, maps: Mapping[str, Floats]) -> None:
    """Keep the maps, so that other figures can be drawn of them."""
    arrays: dict[str, Any] = {name: Y.astype(np.float32) for name, Y in maps.items()}
    np.savez_compressed(folder / f"{experiment}.npz", **arrays)


def write_section(folder: Path, experiment: str, section: Section) -> None:
    """Keep what one experiment found."""
    parts = folder / PARTS
    parts.mkdir(exist_ok=True)
    text = "\n\n".join([f"## {section.title}", *section.blocks]) + "\n"
    (parts / f"{experiment}.md").write_text(text, encoding="utf-8")


def write_page(folder: Path, experiments: Iterable[str]) -> None:
    """Write the page of all experiments that were run into this folder, in the given order."""
    parts = [folder / PARTS / f"{name}.md" for name in experiments]
    head = (
        "# The paper's experiments, redone\n\n"
        f"Written by `unprior reproduce`, unprior {__version__}. What is marked *paper* quotes the "
        "paper's own figures; all else was measured by this run.\n"
    )
    texts = [part.read_text(encoding="utf-8") for part in parts if part.exists()]
    (folder / PAGE).write_text("\n".join([head, *texts]), encoding="utf-8")
