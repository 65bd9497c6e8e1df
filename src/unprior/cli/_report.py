"""A map, data and priors → the score report, as a table to read or as JSON to go on with."""

from __future__ import annotations

import json
from typing import Any

import click

from unprior import scores
from unprior._typing import Floats
from unprior.cli._messages import say
from unprior.cli._prepare import Prepared

#: Neighbours that a score looks at, where there are enough samples.
NEIGHBORS = 15


def tell_scores(
    Y: Floats,
    prepared: Prepared,
    metric: str,
    *,
    as_json: bool,
    on_stdout: bool = False,
    **more: Any,
) -> None:
    """Score a map; JSON goes to stdout, a table where people read it."""
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
    elif on_stdout:
        click.echo(str(report))
    else:
        say(str(report))
