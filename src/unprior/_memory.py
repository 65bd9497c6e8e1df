"""Whether large arrays fit into memory, said before the machine starts to swap."""

from __future__ import annotations

import os
from pathlib import Path

#: Where Linux tells how much memory a container may use, in versions 2 and 1 of control groups.
LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def check_square_fits(who: str, n_samples: int, n_arrays: int) -> None:
    """Refuse to build n × n arrays of float64 that do not fit into memory."""
    need = 8 * n_samples**2 * n_arrays
    have = _usable_memory()
    if have and need > have:
        message = (
            f"{who}: {n_samples} samples need {n_arrays} arrays of {n_samples} × {n_samples}, "
            f"{need / 2**30:.0f} GiB, and there are {have / 2**30:.0f} GiB; fit a random "
            "subset of the samples."
        )
        raise MemoryError(message)


def check_columns_fit(who: str, n_samples: int, n_columns: int, n_arrays: int, advice: str) -> None:
    """Refuse to tell a prior in columns of float64 that do not fit into memory."""
    need = 8 * n_samples * n_columns * n_arrays
    have = _usable_memory()
    if have and need > have:
        message = (
            f"{who}: 'prior' makes {n_columns} columns for {n_samples} samples, which need "
            f"{need / 2**30:.0f} GiB, and there are {have / 2**30:.0f} GiB; {advice}."
        )
        raise MemoryError(message)


def check_array_fits(who: str, name: str, n_samples: int, n_columns: int) -> None:
    """Refuse to make data dense that would not fit into memory, twice."""
    need, have = 2 * 8 * n_samples * n_columns, _usable_memory()
    if have and need > have:
        message = (
            f"{who}: {name!r} is sparse; {n_samples} samples with all {n_columns} columns need "
            f"{need / 2**30:.0f} GiB, and there are {have / 2**30:.0f} GiB; reduce it, "
            "for example with sklearn.decomposition.PCA(50, svd_solver='arpack')."
        )
        raise MemoryError(message)


def check_file_fits(file: str, need: int) -> None:
    """Refuse a file that holds more than fits into memory, however small it is on disk."""
    have = _usable_memory()
    if have and need > have:
        message = (
            f"{file}: what it holds takes {need / 2**30:.1f} GiB once it is unpacked, and there "
            f"are {have / 2**30:.1f} GiB; read a part of it, or use a machine with more memory."
        )
        raise MemoryError(message)


def _usable_memory() -> int:
    """Bytes of memory of this machine, or of the container if it may use less; 0 if unknown."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        machine = 0
    # Without a limit a file says "max", or a number beyond any machine.
    found = [size for size in (machine, *map(_read_limit, LIMITS)) if size]
    return min(found, default=0)


def _read_limit(path: Path) -> int:
    """Return the number in a file; 0 if there is none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
