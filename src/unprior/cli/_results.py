"""Write a drawn map: the map file, picture, AnnData copy, model, and the table of scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior.cli._map_files import record_path
from unprior.cli._messages import say

if TYPE_CHECKING:
    from unprior._typing import Floats
    from unprior.cli._draw import DrawnMap
    from unprior.cli._prepare import PreparedData

#: Upper bounds in bytes: one row of a map file, and a picture.
ROW_BYTES, PICTURE_BYTES = 200, 2**22

#: Methods whose maps can place new samples.
PLACING = ("auto", "independent", "jedi", "confetti", "tsne")

#: Neighbours per sample that scores use, if there are enough samples.
NEIGHBORS = 15


def check_space(targets: list[Path], n_samples: int, source: Path | None) -> None:
    """Refuse to start if the results would not fit on the disk."""
    from unprior.files import check_room

    for target in targets:
        copied = source.stat().st_size if source is not None else 0
        check_room(target, copied + ROW_BYTES * n_samples + PICTURE_BYTES)


def write_result(what: str, path: Path, write: Callable[[Path], object]) -> bool:
    """Write a result, to a fallback folder if need be; return whether it is at ``path``."""
    from unprior.files import write_somewhere

    reasons: list[str] = []

    def attempt(place: Path) -> None:
        try:
            write(place)
        except OSError as error:
            reasons.append(error.strerror or str(error))
            raise

    place = write_somewhere(path, attempt)
    if place != path:
        say(f"Error: {path} could not be written ({reasons[0]}).")
    say(f"{what}: {place}")
    return place == path


def write_map_file(
    prepared: PreparedData,
    drawn: DrawnMap,
    key: str,
    out: Path | None,
    record: Callable[[Path], object],
) -> bool:
    """Write a map to a file, with a record of how it was made beside it, or to stdout."""
    from unprior.files import as_csv, write_map

    if out is None:
        click.echo(as_csv(drawn.Y, prepared.ids, extra=prepared.extra), nl=False)
        return True

    def write(place: Path) -> None:
        write_map(place, drawn.Y, prepared.ids, method=key, extra=prepared.extra)
        record(place)

    written = write_result("Map", out, write)
    if written:
        say(f"How it was made: {record_path(out)}")
    return written


def write_picture(path: Path, prepared: PreparedData, drawn: DrawnMap, title: str) -> bool:
    """Draw the map, coloured by ``--color`` or by every single-column prior."""
    from unprior import plot

    return write_figure(path, plot.compare({title: drawn.Y}, color=prepared.colors or None))


def write_figure(path: Path, axes: Any) -> bool:
    """Write the figure that these axes are part of."""
    from unprior.files import write_whole

    figure = axes[0, 0].figure
    return write_result(
        "Picture", path, lambda place: write_whole(place, lambda p: figure.savefig(p, dpi=150))
    )


def write_copy(
    path: Path,
    source: Path,
    prepared: PreparedData,
    drawn: DrawnMap,
    key: str,
    residual: Any = None,
) -> bool:
    """Write a copy of an AnnData with the map, and its report, graph or residual, added."""
    import numpy as np

    from unprior.files import read_anndata, write_whole
    from unprior.tl._graphs import scanpy_graphs
    from unprior.tl._slots import storable, store

    adata = read_anndata(source)
    if len(prepared.rows) < adata.n_obs:
        adata = adata[prepared.rows].copy()
        say(f"{path.name} holds the {adata.n_obs} samples of the map.")
    entry: dict[str, Any] = {"params": {"use_rep": prepared.source}}
    if drawn.report is not None:
        entry["report"] = storable(drawn.report.to_dict())
    graphs: dict[str, Any] = {}
    if hasattr(drawn.estimator, "graph_"):
        graphs, keys = scanpy_graphs(drawn.estimator, key, n_jobs=1)
        n_neighbors = int(drawn.estimator.n_neighbors_)
        entry |= keys
        entry["params"] |= {"method": "umap", "n_neighbors": n_neighbors}
    if residual is not None:
        adata.obsm["X_residual"] = residual.fit_transform(
            prepared.X, prior=prepared.priors, keep=prepared.keep or None
        )
    store(adata, key, np.asarray(drawn.Y, dtype=np.float32), entry, graphs, copy=False)
    return write_result(
        "Copy with the map", path, lambda place: write_whole(place, adata.write_h5ad)
    )


def check_model_target(model: Path, method: str, *, force: bool) -> None:
    """Refuse early a model that could not be written, or not be used later."""
    from unprior.files import check_target

    if method not in PLACING:
        message = f"--model takes a method that places new samples, {', '.join(PLACING)}."
        raise ValueError(message)
    check_target(model, (model.suffix,), force=force)


def write_fitted(
    model: Path, prepared: PreparedData, drawn: DrawnMap, options: dict[str, Any]
) -> bool:
    """Write the model with the names of its priors and columns, and how these were scaled."""
    from unprior.models._files import write_model

    fitted = drawn.estimator if drawn.report is None else drawn.report.fitted
    if prepared.projection is not None:
        fitted._projection = prepared.projection
        fitted.n_features_in_ = len(prepared.projection.center)
    kinds = {name: prior.kind for name, prior in prepared.priors.items()}
    # With its kind, so that ages of new samples may all be whole numbers.
    known = [
        f"{text}:{kinds[text]}" if kinds.get(text) in ("labels", "features") else text
        for text in options["prior"]
    ]
    about = {"prior": known, "columns": [*prepared.columns]}
    return write_result("Model", model, lambda place: write_model(fitted, place, about))


def print_scores(
    Y: Floats,
    prepared: PreparedData,
    metric: str,
    *,
    as_json: bool,
    on_stdout: bool = False,
    **more: Any,
) -> None:
    """Score a map; print JSON to stdout, or a table to stdout or stderr."""
    import json

    from unprior import scores

    report = scores.report(
        Y,
        X=prepared.X,
        prior=prepared.priors or None,
        hidden=prepared.hidden or None,
        keep=prepared.keep or None,
        k=max(1, min(NEIGHBORS, (len(Y) - 1) // 2)),
        metric=metric,
    )
    if as_json:
        kinds = {name: prior.kind for name, prior in prepared.priors.items()}
        facts = {**more, "n_samples": report.n_samples, "n_rows": report.n_rows, "k": report.k}
        click.echo(json.dumps({**facts, "kinds": kinds, "scores": report.to_dict()}, indent=2))
    else:
        click.echo(str(report), err=not on_stdout)
