"""``unprior demo``: map penguins before and after factoring out the species, and score both."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from unprior._typing import Floats
    from unprior.datasets import LabelledData
    from unprior.scores import Comparison

#: Names of the plain map and of the one with the species factored out.
BEFORE, AFTER = "t-SNE", "embed"


@click.command(short_help="Draw and score maps of penguins.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder for the picture and the scores; created if necessary.",
)
def demo(out: Path) -> None:
    """Factor the species out of a map of penguins, and find the sexes.

    Draws the map before and after, by plain t-SNE and by 'unprior embed', and scores both.
    """
    from unprior.datasets import load_penguins

    try:
        penguins = load_penguins()
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"{len(penguins.X)} penguins, {penguins.X.shape[1]} body measurements each. Their species "
        "is the prior, which is factored out; their sex is hidden from all methods.\n"
    )
    maps = draw_maps(penguins)
    comparison = score_maps(maps, penguins)
    click.echo(f"{comparison}\n")
    out.mkdir(parents=True, exist_ok=True)
    picture, scores, table = out / "demo.png", out / "scores.csv", out / "penguins.csv"
    write_picture(picture, maps, penguins, comparison)
    write_scores(scores, comparison)
    write_table(table, penguins)
    click.echo(f"Picture: {picture}\nScores:  {scores}")
    click.echo(
        "To explore the maps, select samples and factor out more:\n"
        f"{_program()} explore {table} --prior species --drop year --standardize"
    )


def draw_maps(penguins: LabelledData) -> dict[str, Floats]:
    """Map the measurements, by plain t-SNE and with the species factored out."""
    from unprior._embed import embed

    X, species = _standardize(penguins), penguins.labels["species"]
    return {
        BEFORE: embed(X, prior=species, method="tsne", random_state=0),
        AFTER: embed(X, prior=species, random_state=0),
    }


def score_maps(maps: dict[str, Floats], penguins: LabelledData) -> Comparison:
    """Score how much of the species is left, and how much of everything else is kept."""
    from unprior import scores

    species, sex = penguins.labels["species"], penguins.labels["sex"]
    X = _standardize(penguins)
    return scores.compare(maps, X=X, prior={"species": species}, hidden={"sex": sex})


def write_picture(
    path: Path, maps: dict[str, Floats], penguins: LabelledData, comparison: Comparison
) -> None:
    """Draw the maps coloured by species (upper row) and by sex (lower row)."""
    from unprior import plot

    labels = penguins.labels
    color = {"species (prior)": labels["species"], "sex (hidden)": labels["sex"]}
    notes = {name: _score_lines(score) for name, score in comparison.to_dict().items()}
    axes = plot.compare(maps, color=color, notes=notes)
    titles = (f"before: {BEFORE}", f"after: {AFTER}, species factored out")
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize="medium")
    figure = axes[0, 0].figure
    figure.suptitle(f"{len(penguins.X)} penguins by {penguins.X.shape[1]} body measurements")
    figure.savefig(path, dpi=100)


def write_scores(path: Path, comparison: Comparison) -> None:
    """Write one line per map and score."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["map", "what", "measure", "score", "chance"])
        for name, report in comparison.reports.items():
            for row in report.rows:
                writer.writerow([name, row.what, row.measure, row.score, row.chance])


def write_table(path: Path, penguins: LabelledData) -> None:
    """Write measurements and labels, one line per penguin."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*penguins.feature_names, *penguins.labels])
        rows = zip(penguins.X.tolist(), *penguins.labels.values(), strict=True)
        writer.writerows([*measured, *labels] for measured, *labels in rows)


def _program() -> str:
    """Return the path this program was called by, or its name if it was run some other way."""
    called = Path(sys.argv[0])
    return str(called) if called.stem == "unprior" else "unprior"


def _standardize(penguins: LabelledData) -> Floats:
    from sklearn.preprocessing import StandardScaler

    return StandardScaler().fit_transform(penguins.X)


def _score_lines(score: Mapping[str, Any]) -> list[str]:
    """Return the scores to write below each panel: upper row, lower row."""
    left = f"species left: {score['prior']['species']['neighbor_purity']:z.2f}"
    rest = f"rest kept: {score['rest']['neighbor_coherence']:z.2f}"
    sex = f"sex kept: {score['hidden']['sex']['neighbor_purity']:z.2f}"
    return [f"{left}, {rest}", f"{left}, {sex}"]
