"""Scores to a pandas DataFrame, a row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unprior._extras import import_extra

if TYPE_CHECKING:
    from pandas import DataFrame

    from unprior.scores._measurement import Measurement

#: What is told of each score, in the order of the columns.
COLUMNS = ("role", "name", "measure", "score", "standard_error", "chance", "want", "detail")


def record(row: Measurement) -> dict[str, Any]:
    """Return a score as a row of a table."""
    return {column: getattr(row, column) for column in COLUMNS}


def make_frame(who: str, records: list[dict[str, Any]]) -> DataFrame:
    """Return records as a table; pandas, which it takes, is an extra."""
    return import_extra("pandas", who).DataFrame.from_records(records)
