"""Data larger than memory: arrays on disk and Dask arrays -> their rows on demand."""

from unprior.storage._rows import (
    HELD,
    WALK_ENTRIES,
    StoredRows,
    check_stored,
    row_blocks,
    stored_rows,
)

__all__ = [
    "HELD",
    "WALK_ENTRIES",
    "StoredRows",
    "check_stored",
    "row_blocks",
    "stored_rows",
]
