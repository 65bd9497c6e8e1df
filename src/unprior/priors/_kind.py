"""A kind of prior: its name, how it is written in the shell, and what makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from unprior.priors._base import Prior


@dataclass(frozen=True, eq=False)
class Source:
    """What a prior is to be made of, as columns and files are named in the shell and in `tl`.

    Attributes
    ----------
    where : str
        Begins error messages: who asked, and for what.
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
        """Return the columns if there are so many; else refuse."""
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
        The word for it: "labels". It follows the colon in ``year:labels``.
    example : str
        How it is written in the shell, for help and error messages.
    make : callable
        Makes the prior of a `Source`.
    takes : {"columns", "square", "file"}
        Columns of a table; a matrix between all samples; or a file that ``make`` reads itself.
    takes_value : bool
        Whether something may follow an equals sign.
    square_call : str
        The call that makes it of a square array, if a square array may mean this kind.
    recognizes : callable, optional
        Whether an object can only mean this kind of prior. `as_prior` then calls ``read``.
    read : callable, optional
        Makes the prior of such an object.
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
        """Whether it is given for pairs of samples, so that rows are taken of the prior."""
        return self.takes != "columns"
