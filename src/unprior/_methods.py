"""All methods by name, for `embed`, the command line and `tl`.

Nothing heavy is imported here, so that ``--help`` is fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Method:
    """A method by its name.

    Attributes
    ----------
    name : str
        Its name on the command line and in `unprior.embed`.
    estimator : str
        The class in `unprior.estimators` that removes the prior.
    strength : {"share", "weight", None}
        Whether its strength is a fraction from 0 to 1, an unbounded weight, or it has none.
    key : str
        Name of its map in an AnnData, as in `unprior.tl`.
    with_report : bool
        Whether the command line uses `unprior.embed` and prints the report; otherwise it uses the
        estimator with its own defaults.
    """

    name: str
    estimator: str
    strength: Literal["share", "weight"] | None
    key: str
    with_report: bool = False


METHODS = {
    method.name: method
    for method in (
        Method("auto", "IndependentTSNE", "share", "embed", with_report=True),
        Method("independent", "IndependentTSNE", "share", "embed", with_report=True),
        Method("residual", "Residual", "share", "embed", with_report=True),
        Method("jedi", "JEDI", "weight", "jedi"),
        Method("confetti", "Confetti", "weight", "confetti"),
        Method("slle", "InverseSLLE", "weight", "slle"),
        Method("ctsne", "ConditionalTSNE", None, "ctsne"),
        Method("revised-ctsne", "RevisedConditionalTSNE", None, "revised-ctsne"),
        Method("tsne", "IndependentTSNE", None, "tsne", with_report=True),
    )
}

#: Methods whose strength can be tuned, by name.
TUNABLE = {name: m.estimator for name, m in METHODS.items() if m.strength and name != "auto"}
