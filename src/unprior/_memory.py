"""Whether large arrays fit into memory, said before the machine starts to swap."""

from __future__ import annotations

import os


def check_square_fits(who: str, n_samples: int, n_arrays: int) -> None:
    """Refuse to build n × n arrays of float64 that do not fit into the machine's memory."""
    need = 8 * n_samples**2 * n_arrays
    have = _physical_memory()
    if have and need > have:
        message = (
            f"{who}: {n_samples} samples need {n_arrays} arrays of {n_samples} × {n_samples}, "
            f"{need / 2**30:.0f} GiB, and this machine has {have / 2**30:.0f} GiB; fit a random "
            "subset of the samples."
        )
        raise MemoryError(message)


def check_columns_fit(who: str, n_samples: int, n_columns: int, n_arrays: int, advice: str) -> None:
    """Refuse to tell a prior in columns of float64 that do not fit into the machine's memory."""
    need = 8 * n_samples * n_columns * n_arrays
    have = _physical_memory()
    if have and need > have:
        message = (
            f"{who}: 'prior' makes {n_columns} columns for {n_samples} samples, which need "
            f"{need / 2**30:.0f} GiB, and this machine has {have / 2**30:.0f} GiB; {advice}."
        )
        raise MemoryError(message)


def check_array_fits(who: str, name: str, n_samples: int, n_columns: int) -> None:
    """Refuse to make data dense that would not fit into the machine's memory, twice."""
    need, have = 2 * 8 * n_samples * n_columns, _physical_memory()
    if have and need > have:
        message = (
            f"{who}: {name!r} is sparse; {n_samples} samples with all {n_columns} columns need "
            f"{need / 2**30:.0f} GiB, and this machine has {have / 2**30:.0f} GiB; reduce it, "
            "for example with sklearn.decomposition.PCA(50, svd_solver='arpack')."
        )
        raise MemoryError(message)


def _physical_memory() -> int:
    """Bytes of memory of this machine; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0
