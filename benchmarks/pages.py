"""Write benchmark figures into README.md and the pages of docs; `make numbers` runs it.

    python benchmarks/pages.py

Figures are between two comments, `<!-- numbers: NAME -->` and `<!-- end -->`. This script writes
what is between them, and a test compares the pages with it: figures that are typed by hand, or
older than their results, fail.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = ("README.md", "docs/scale.md", "docs/reproduction.md", "docs/new_samples.md")

#: A region: the comment with its name, the text to write, and the closing comment.
REGION = re.compile(r"(<!-- numbers: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def fits(name: str) -> str:
    """Write a table of timed fits: size, data, method, seconds and memory."""
    rows = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    lines = ["| samples | data | method | seconds | peak, GiB |", "|--:|:--|:--|--:|--:|"]
    lines += [
        f"| {_spaced(row['n'])} | {row['data']} | {row['method']} | {_spaced(row['seconds'])} "
        f"| {row['peak_gib']:.1f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def umap_layout() -> str:
    """Write the seconds that layouts of UMAP took."""
    text = (RESULTS / "umap_layout.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if re.match(r"\| \d", line)]
    sizes = list(dict.fromkeys(row[0].strip("| ") for row in rows))
    seconds = {(row[1], row[0].strip("| ")): row[2].split()[0] for row in rows}
    methods = list(dict.fromkeys(row[1] for row in rows))
    lines = [
        "| layout | " + " | ".join(f"{_spaced(int(size))} images, seconds" for size in sizes) + " |"
    ]
    lines.append("|:--|" + "--:|" * len(sizes))
    lines += [
        f"| {method} | " + " | ".join(seconds[method, size] for size in sizes) + " |"
        for method in methods
    ]
    return "\n".join(lines) + "\n"


def quality() -> str:
    """Write what `embed` and others leave of the prior, over all cases and the unequal ones."""
    mine = [*_left("embed")]
    unequal = {method: [*_left(method, "unequal")] for method in ("embed", "tsne", "harmony-tsne")}
    ours, plain, harmony = (
        sum(abs(left) for _, left, _ in rows) / len(rows) for rows in unequal.values()
    )
    sizes = [n for n, _, _ in mine]
    mean = sum(abs(left) for _, left, _ in mine) / len(mine)
    worst = max(worst for _, _, worst in unequal["embed"])
    return (
        f"On {len(mine)} data sets of {min(sizes)} to {_spaced(max(sizes))} samples "
        "([which method draws the best map](docs/quality.md), written by\n"
        f"`python benchmarks/quality`) `embed` leaves {mean:.3f} of the prior among map neighbours "
        f"on average. On the {len(unequal['embed'])} of them with\n"
        f"one dominant class it leaves {ours:.3f}, where plain t-SNE leaves {plain:.2f} and "
        f"Harmony {harmony:.2f}, and no class keeps more than {worst:.2f}.\n"
    )


def transform_quality() -> str:
    """Write how transformed samples score on the cases for judging."""
    text = (RESULTS / "transform_quality.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.split("\n## ")[1].splitlines() if line[:1] == "|"]
    return "\n".join("|".join([*row[:9], row[11], ""]) for row in rows) + "\n"


def reproduced() -> dict[str, str]:
    """Read the blocks that `unprior reproduce` has marked in the sections of its results."""
    sections = sorted((RESULTS / "reproduction").glob("*.md"))
    return {
        found[2]: found[3]
        for section in sections
        for found in REGION.finditer(section.read_text(encoding="utf-8"))
    }


def _left(method: str, family: str | None = None) -> Iterator[tuple[int, float, float]]:
    """Give size, what is left, and what is left of the worst class, of cases that were drawn.

    Of all families but "composition", in which *left* is within the hidden classes.
    """
    page = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8").split("## Cases")[1]
    families = dict(re.findall(r"^\| ([\w-]+) \| [^|]* \| (\w+) \|", page, re.MULTILINE))
    with (RESULTS / "quality" / "summary.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            own = families[row["case"]]
            wanted = own == family if family else own != "composition"
            if row["method"] == method and row["left"] and wanted:
                yield int(row["n"]), float(row["left"]), float(row["worst"] or 0)


def _spaced(number: float) -> str:
    """Write a number without decimals, with spaces between thousands."""
    return f"{number:,.0f}".replace(",", " ") if number >= 10_000 else f"{number:.0f}"


NUMBERS = {
    "independent": lambda: fits("independent"),
    "jedi": lambda: fits("jedi"),
    "confetti": lambda: fits("confetti"),
    "umap-layout": umap_layout,
    "quality": quality,
    "transform-quality": transform_quality,
}


def fill(page: str) -> str:
    """Return a page with all its regions rewritten."""
    paper = reproduced()

    def text(name: str) -> str:
        return paper[name] if name in paper else NUMBERS[name]()

    return REGION.sub(lambda found: found[1] + text(found[2]) + found[4], page)


def write() -> None:
    """Rewrite the regions of all pages."""
    for name in PAGES:
        path = ROOT / name
        path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
