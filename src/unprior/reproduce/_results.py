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
#: Folder with one file per experiment, so that runs into the same folder add up.
PARTS = "sections"

NO_FIGURE = "–"


@dataclass(frozen=True)
class Section:
    """The results of an experiment: a title, then paragraphs, tables and figures in Markdown."""

    title: str
    blocks: Sequence[str]


def quotable(name: str, text: str) -> str:
    """Mark a block, so that ``docs/reproduction.md`` can quote it by name."""
    return f"<!-- numbers: {name} -->\n{text}\n<!-- end -->"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: first column left-aligned, the others right-aligned."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def area(value: float) -> str:
    """Return three digits, without a minus sign before zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def spread(values: Sequence[float]) -> str:
    """Return mean ± standard deviation, or the value if there is only one."""
    mean = area(float(np.mean(values)))
    return f"{mean} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else mean


def figure(name: str, caption: str) -> str:
    """Return a Markdown figure."""
    return f"![{caption}]({name})\n\n*{caption}*"


def save_maps(folder: Path, experiment: str, maps: Mapping[str, Floats]) -> None:
    """Save maps, so that other figures can be drawn from them."""
    arrays: dict[str, Any] = {name: Y.astype(np.float32) for name, Y in maps.items()}
    np.savez_compressed(folder / f"{experiment}.npz", **arrays)


def write_section(folder: Path, experiment: str, section: Section) -> None:
    """Write the results of one experiment."""
    parts = folder / PARTS
    parts.mkdir(exist_ok=True)
    text = "\n\n".join([f"## {section.title}", *section.blocks]) + "\n"
    (parts / f"{experiment}.md").write_text(text, encoding="utf-8")


def write_page(folder: Path, experiments: Iterable[str]) -> None:
    """Write the page of all experiments that were run into this folder, in the given order."""
    parts = [folder / PARTS / f"{name}.md" for name in experiments]
    head = (
        "# The paper's experiments, reproduced\n\n"
        f"Written by `unprior reproduce`, unprior {__version__}. Numbers marked *paper* are the "
        "paper's own; all others were measured in this run.\n"
    )
    texts = [part.read_text(encoding="utf-8") for part in parts if part.exists()]
    (folder / PAGE).write_text("\n".join([head, *texts]), encoding="utf-8")
