"""Compare methods of batch integration: cell types kept and batch left within types.

    python benchmarks/integration.py --data DIR

Needs harmonypy, bbknn and scanpy (benchmarks/requirements.txt); missing ones are skipped. Scores
are of the 15 nearest neighbours in the corrected data, or in the graph: *kept*, the rescaled purity
of cell types, and *left within*, how much more alike in batch they are than random cells of the
neighbour's own type. No map is drawn.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from quality.case import Case, Samples, read_arrays, some_rows
from quality.cases import load_case
from quality.rivals import combat, harmony_corrected
from quality.scores import NEIGHBORS, nearest, purity, purity_within

import unprior as up
from unprior.priors import Labels, labels

ROOT = Path(__file__).resolve().parent.parent
HEADER = ("data", "method", "kept", "left within", "kept − |left within|")


def kang(folder: Path) -> Samples:
    """Blood cells with and without interferon: the same types in both."""
    file = read_arrays(folder, "sc_kang_pbmc.npz")
    return Samples(file["pca50"].astype(float), labels(file["stim"]), file["cell_type_derived"])


def synovium(folder: Path) -> Samples:
    """Cells of 24 batches, some of which lack types."""
    file = read_arrays(folder, "sc_ra_synovium.npz")
    rows = some_rows(len(file["pcs"]), 2000)
    X, types = file["pcs"][rows].astype(float), file["meta_celltype"][rows]
    return Samples(X, labels(file["meta_batch"][rows]), types)


def generated(folder: Path, name: str) -> Case:
    """A generated case of the quality benchmark."""
    return load_case(name)


DATA: dict[str, Callable[[Path], Samples]] = {
    "Kang: two conditions, the same types": kang,
    "synovium: 24 batches, some lack types": synovium,
    "generated: shifts, the same clusters": partial(generated, name="shift-80"),
    "generated: two of three batches pure": partial(generated, name="pure-three"),
}


def residual(X: np.ndarray, batch: Labels, kind: str) -> np.ndarray:
    """Correct by a residual of the library."""
    return nearest(up.Residual(kind).fit_transform(X, prior=batch), NEIGHBORS)[1]


def bbknn(X: np.ndarray, batch: Labels) -> np.ndarray:
    """Return the neighbours of BBKNN's graph, nearest first."""
    import bbknn.matrix

    distances, _, _ = bbknn.matrix.bbknn(
        X.astype(np.float32), batch.codes.astype(str), approx=False, use_faiss=False
    )
    rows = [row.indices[np.argsort(row.data, kind="stable")] for row in distances.tocsr()]
    k = min(NEIGHBORS, *map(len, rows))
    return np.array([row[:k] for row in rows])


METHODS: dict[str, Callable[[np.ndarray, Labels], np.ndarray]] = {
    "no correction": lambda X, batch: nearest(X, NEIGHBORS)[1],
    "Harmony": lambda X, batch: nearest(harmony_corrected(X, batch, 0), NEIGHBORS)[1],
    "ComBat": lambda X, batch: nearest(combat(X, batch), NEIGHBORS)[1],
    "BBKNN, graph": bbknn,
    '`Residual("clustered")`': partial(residual, kind="clustered"),
    '`Residual("aligned")`': partial(residual, kind="aligned"),
    '`Residual("smooth")`': partial(residual, kind="smooth"),
}


def lines(folder: Path) -> list[tuple[str, ...]]:
    """Run every method on every data set."""
    found = []
    for title, load in DATA.items():
        samples = load(folder)
        for name, method in METHODS.items():
            try:
                neighbors = method(samples.X, samples.prior)
            except ImportError as error:
                print(f"left out: {name} ({error})")
                continue
            kept = purity(samples.hidden, neighbors)
            left = purity_within(samples.prior.codes, samples.hidden, neighbors)
            found.append((title, name, f"{kept:.3f}", f"{left:.3f}", f"{kept - abs(left):.3f}"))
            print(*found[-1], sep="  ", flush=True)
    return found


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/integration.md")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # noqa: TID251 (of rivals)
        rows = [HEADER, (":--",) * len(HEADER), *lines(options.data)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    options.out.write_text(f"# Integration, neighbours in the corrected data\n\n{table}\n", "utf-8")


if __name__ == "__main__":
    main()
