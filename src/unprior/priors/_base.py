"""What every prior is: knowledge about the samples, as distances between them."""

from __future__ import annotations

from typing import Any, cast

from unprior.geometry import SampleDistances
from unprior.priors._reader import DistanceReader, Reader


class Prior(SampleDistances):
    """Knowledge about the samples, as distances between them.

    A prior never holds an n × n array unless it was made from one. Indexing selects samples, and
    both axes follow: ``prior[rows]`` is the prior of these samples alone. That is also how
    scikit-learn slices it for cross-validation.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    kind : str
        The word for this kind of prior: "labels", "features", ...

    Examples
    --------
    >>> from unprior import priors
    >>> prior = priors.features([1.0, 2.0, 5.0])
    >>> prior[[0, 2]].to_array()
    array([[0., 4.],
           [4., 0.]])
    """

    def __getitem__(self, rows: Any) -> Prior:
        return cast("Prior", super().__getitem__(rows))

    def reader(self) -> Reader:
        """Return what reads this prior of new samples, or refuses to."""
        return DistanceReader(self.kind, self.n_samples)

    def __repr__(self) -> str:
        return f"<prior: {self.kind}, {self.n_samples} samples>"
