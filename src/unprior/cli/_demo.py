"""Penguins → their map before and after the species is factored out, and a table of scores."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.preprocessing import StandardScaler

from unprior import plot, scores
from unprior._embed import embed
from unprior._typing import Floats
from unprior.datasets import LabelledData, load_penguins

#: The map from which nothing is factored out, and the one that the library recommends.
BEFORE, AFTER = "t-SNE", "embed"


def run_demo(folder: Path, *, say: Callable[[str], object]) -> None:
    """Draw and score the maps; write ``demo.png`` and ``scores.csv`` into a folder."""
    penguins = load_penguins()
    say(
        f"{len(penguins.X)} penguins, {penguins.X.shape[1]} body measurements each. Their species "
        "is known and factored out; their sex is hidden from all methods.\n"
    )
    maps = draw_maps(penguins)
    comparison = score_maps(maps, penguins)
    say(f"{comparison}\n")
    folder.mkdir(parents=True, exist_ok=True)
    write_picture(folder / "demo.png", maps, penguins, comparison)
    write_scores(folder / "scores.csv", comparison)
    write_table(folder / "penguins.csv", penguins)
    say(f"Picture: {folder / 'demo.png'}\nScores:  {folder / 'scores.csv'}")
    table = folder / "penguins.csv"
    say(
        "To look around, select and factor out more:\n"
        f"{_program()} explore {table} --prior species --drop year --standardize"
    )


def draw_maps(penguins: LabelledData) -> dict[str, Floats]:
    """Map the measurements, plainly and with the species factored out."""
    X, species = _standardize(penguins), penguins.labels["species"]
    return {
        BEFORE: embed(X, prior=species, method="tsne", random_state=0),
        AFTER: embed(X, prior=species, random_state=0),
    }


def score_maps(maps: dict[str, Floats], penguins: LabelledData) -> scores.Comparison:
    """Score how much is left of the species, and how much is kept of all else."""
    species, sex = penguins.labels["species"], penguins.labels["sex"]
    X = _standardize(penguins)
    return scores.compare(maps, X=X, prior={"species": species}, hidden={"sex": sex})


def write_picture(
    path: Path, maps: dict[str, Floats], penguins: LabelledData, comparison: scores.Comparison
) -> None:
    """Draw the maps twice: by what is known above, by what is hidden below."""
    labels = penguins.labels
    color = {"species (known)": labels["species"], "sex (hidden)": labels["sex"]}
    notes = {name: _tell(score) for name, score in comparison.to_dict().items()}
    axes = plot.compare(maps, color=color, notes=notes)
    titles = (f"before: {BEFORE}", f"after: {AFTER}, species factored out")
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize="medium")
    figure = axes[0, 0].figure
    figure.suptitle(f"{len(penguins.X)} penguins by {penguins.X.shape[1]} body measurements")
    figure.savefig(path, dpi=100)


def write_table(path: Path, penguins: LabelledData) -> None:
    """Write measurements and labels, a line for each penguin."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*penguins.feature_names, *penguins.labels])
        rows = zip(penguins.X.tolist(), *penguins.labels.values(), strict=True)
        writer.writerows([*measured, *labels] for measured, *labels in rows)


def _program() -> str:
    """Return how this program was called, if by its name."""
    called = Path(sys.argv[0])
    return str(called) if called.stem == "unprior" else "unprior"


def _standardize(penguins: LabelledData) -> Floats:
    return StandardScaler().fit_transform(penguins.X)


def _tell(score: Mapping[str, Any]) -> list[str]:
    """Say below each panel what is left, and what is kept: of all else, and of what it colours."""
    left = f"species left: {score['prior']['species']['neighbor_purity']:z.2f}"
    rest = f"rest kept: {score['rest']['neighbor_coherence']:z.2f}"
    sex = f"sex kept: {score['hidden']['sex']['neighbor_purity']:z.2f}"
    return [f"{left}, {rest}", f"{left}, {sex}"]


def write_scores(path: Path, comparison: scores.Comparison) -> None:
    """Write one line for each map and score."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["map", "what", "measure", "score", "chance"])
        for name, report in comparison.reports.items():
            for row in report.rows:
                writer.writerow([name, row.what, row.measure, row.score, row.chance])
