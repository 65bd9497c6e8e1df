"""Draw docs/images/architecture.svg: the folders of src/unprior, and the data flow."""

from pathlib import Path

OUT = Path(__file__).parent / "images" / "architecture.svg"

WIDTH, HEIGHT, BOX = 1100, 540, (130, 46)

#: Folder -> centre of its box, and what it holds.
BOXES = {
    "storage": (230, 60, "rows on disk, in Dask"),
    "geometry": (230, 160, "data as distances"),
    "priors": (230, 260, "prior knowledge"),
    "operators": (390, 60, "the ⊖ of CONFETTI"),
    "residual": (390, 260, "data minus prior"),
    "lle": (390, 340, "inverse SLLE"),
    "neighbors": (550, 60, "nearest neighbours"),
    "affinities": (550, 160, "P, and k of the prior"),
    "forces": (710, 260, "sums over pairs"),
    "objectives": (710, 160, "value and gradient"),
    "embedders": (710, 60, "UMAP, t-SNE, PaCMAP"),
    "optimize": (870, 160, "init, steps, stop"),
    "transform": (870, 60, "new samples"),
    "estimators": (1020, 110, "fit and transform"),
    "models": (1020, 30, "saved estimators"),
    "scores": (1020, 300, "left and kept"),
    "plot": (870, 300, "pictures"),
    "tuning": (1020, 380, "which strength"),
    "datasets": (80, 430, "example data"),
    "files": (230, 430, "CSV, H5AD, Parquet"),
    "tl": (390, 430, "AnnData: tools"),
    "pl": (550, 430, "AnnData: pictures"),
    "explorer": (710, 430, "interactive page"),
    "cli": (870, 430, "the command"),
    "reproduce": (1020, 460, "the paper's figures"),
    "kernels": (470, 500, "compiled loops, called from everywhere"),
}

#: Inputs and outputs, which are not folders.
ENDS = {"X": (80, 160, "data"), "prior": (80, 260, "and keep"), "map": (1020, 205, "")}

ARROWS = [
    ("X", "geometry"),
    ("X", "storage"),
    ("prior", "priors"),
    ("storage", "geometry"),
    ("geometry", "operators"),
    ("geometry", "neighbors"),
    ("priors", "operators"),
    ("priors", "affinities"),
    ("priors", "residual"),
    ("priors", "lle"),
    ("operators", "neighbors"),
    ("neighbors", "affinities"),
    ("neighbors", "embedders"),
    ("residual", "affinities"),
    ("affinities", "objectives"),
    ("forces", "objectives"),
    ("objectives", "optimize"),
    ("optimize", "estimators"),
    ("embedders", "estimators"),
    ("estimators", "map"),
    ("transform", "estimators"),
    ("estimators", "models"),
    ("map", "scores"),
    ("map", "plot"),
    ("scores", "tuning"),
]

COLORS = {"box": "#eef3f8", "edge": "#4a6785", "end": "#fdf3e1", "line": "#8a97a5"}


def border(source: tuple[float, float], target: tuple[float, float]) -> tuple[float, float]:
    """Return where the line from a box to another leaves it."""
    (x, y), (u, v) = source, target
    half_width, half_height = BOX[0] / 2, BOX[1] / 2
    scale = min(
        half_width / abs(u - x) if u != x else 9e9, half_height / abs(v - y) if v != y else 9e9
    )
    return x + scale * (u - x), y + scale * (v - y)


def box(name: str, x: float, y: float, note: str, color: str) -> str:
    """Return a box with a name and a note."""
    width = BOX[0] * (3 if name == "kernels" else 1)
    left, top = x - width / 2, y - BOX[1] / 2
    title = name if color == "end" else f"{name}/"
    middle = y + (5 if not note else -2)
    text = f'<text x="{x}" y="{middle}" class="name">{title}</text>'
    if note:
        text += f'<text x="{x}" y="{y + 14}" class="note">{note}</text>'
    return (
        f'<rect x="{left}" y="{top}" width="{width}" height="{BOX[1]}" rx="6" '
        f'fill="{COLORS[color]}" stroke="{COLORS["edge"]}"/>{text}'
    )


def main() -> None:
    """Write the picture."""
    places = {name: (x, y) for name, (x, y, _) in {**BOXES, **ENDS}.items()}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Folders of src/unprior and the data flow between them</title>",
        "<style>text{font-family:sans-serif;text-anchor:middle;fill:#1d2b3a}"
        ".name{font-size:15px;font-weight:600}.note{font-size:11px}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{COLORS["line"]}"/>'
        "</marker></defs>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for source, target in ARROWS:
        a, b = (
            border(places[source], places[target]),
            border(places[target], places[source]),
        )
        parts.append(
            f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
            f'stroke="{COLORS["line"]}" stroke-width="1.6" marker-end="url(#tip)"/>'
        )
    parts += [box(name, *rest, "box") for name, rest in BOXES.items()]
    parts += [box(name, *rest, "end") for name, rest in ENDS.items()]
    OUT.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
