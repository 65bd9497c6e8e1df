"""Data larger than memory: rows of arrays on disk and of Dask arrays, read on demand."""

from unprior.storage._rows import (
    HELD,
    WALK_ENTRIES,
    StoredRows,
    check_stored,
    fingerprint,
    row_blocks,
    stored_rows,
)

__all__ = [
    "HELD",
    "WALK_ENTRIES",
    "StoredRows",
    "check_stored",
    "fingerprint",
    "row_blocks",
    "stored_rows",
]
