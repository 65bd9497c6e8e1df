"""The base class of priors, and the record that registers a kind of prior."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from unprior._remarks import Advice
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
        """Return the reader that encodes this prior for new samples, or refuses to."""
        return DistanceReader(self.kind, self.n_samples)

    def column(self) -> tuple[Any, float | None] | None:
        """Return one value for each sample, and their period if they are cyclic; None if none."""
        return None

    def remarks(self, advice: Advice | None = None) -> Iterator[str]:
        """Yield warnings about the prior, such as a dominant class, one sentence each."""
        yield from ()

    def __repr__(self) -> str:
        return f"<prior: {self.kind}, {self.n_samples} samples>"


@dataclass(frozen=True, eq=False)
class Source:
    """The columns or file that a prior is to be made of, as named in the shell and in `tl`.

    Attributes
    ----------
    where : str
        Start of error messages: who asked, and for what.
    kind : str
        Name of the kind of prior.
    columns : dict of str to array
        Columns by name; empty if there is a matrix.
    matrix : array, Path or None
        A matrix, or the path of a file that the kind reads itself.
    value : str
        What follows the equals sign, as in ``hour:cyclic=24``.
    """

    where: str
    kind: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    matrix: Any = None
    value: str = ""

    def take(self, n: int) -> list[Any]:
        """Return the columns if there are n of them; otherwise refuse."""
        if self.matrix is not None or len(self.columns) != n:
            got = "a matrix" if self.matrix is not None else f"{len(self.columns)}"
            message = (
                f"{self.where}: {self.kind!r} takes {n} column{'s' if n != 1 else ''}; got {got}."
            )
            raise ValueError(message)
        return [*self.columns.values()]

    def square(self) -> Any:
        """Return the matrix; a single column may hold it in condensed form."""
        return self.take(1)[0] if self.matrix is None else self.matrix


@dataclass(frozen=True)
class Kind:
    """A kind of prior, as `unprior.priors._registry` lists it.

    Attributes
    ----------
    name : str
        Its name, such as "labels"; it follows the colon in ``year:labels``.
    example : str
        How it is written in the shell, for help and error messages.
    make : callable
        Makes the prior from a `Source`.
    takes : {"columns", "square", "file"}
        Columns of a table; a matrix between all samples; or a file that ``make`` reads itself.
    takes_value : bool
        Whether a value may follow an equals sign.
    square_call : str
        The call that makes it from a square array, if a square array may mean this kind.
    recognizes : callable, optional
        Whether an object can only mean this kind of prior. `as_prior` then calls ``read``.
    read : callable, optional
        Makes the prior from such an object.
    """

    name: str
    example: str
    make: Callable[[Source], Prior]
    takes: Literal["columns", "square", "file"] = "columns"
    takes_value: bool = False
    square_call: str = ""
    recognizes: Callable[[Any], bool] | None = None
    read: Callable[[Any], Prior] | None = None

    @property
    def between_samples(self) -> bool:
        """Whether it is given for pairs of samples, so that rows are selected from the prior."""
        return self.takes != "columns"
