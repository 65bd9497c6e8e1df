"""Whether large arrays fit into memory, said before the machine starts to swap."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

#: Where Linux says what memory is free, which control groups this process is in, and their limits.
FREE = Path("/proc/meminfo")
GROUPS = Path("/proc/self/cgroup")
LIMITS = Path("/sys/fs/cgroup")


def check_square_fits(who: str, n_samples: int, n_arrays: int) -> None:
    """Refuse to build n × n arrays of float64 that do not fit into memory."""
    need = 8 * n_samples**2 * n_arrays
    have = _usable_memory()
    if have and need > have:
        message = (
            f"{who}: {n_samples} samples need {n_arrays} arrays of {n_samples} × {n_samples}, "
            f"{need / 2**30:.0f} GiB, and {have / 2**30:.0f} GiB are free; fit a random "
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
            f"{need / 2**30:.0f} GiB, and {have / 2**30:.0f} GiB are free; {advice}."
        )
        raise MemoryError(message)


def check_array_fits(who: str, name: str, n_samples: int, n_columns: int) -> None:
    """Refuse to make data dense that would not fit into memory, twice."""
    need, have = 2 * 8 * n_samples * n_columns, _usable_memory()
    if have and need > have:
        message = (
            f"{who}: {name!r} is sparse; {n_samples} samples with all {n_columns} columns need "
            f"{need / 2**30:.0f} GiB, and {have / 2**30:.0f} GiB are free; reduce it, "
            "for example with sklearn.decomposition.PCA(50, svd_solver='arpack')."
        )
        raise MemoryError(message)


def check_file_fits(file: str, need: int) -> None:
    """Refuse a file that holds more than fits into memory, however small it is on disk."""
    have = _usable_memory()
    if have and need > have:
        message = (
            f"{file}: what it holds takes {need / 2**30:.1f} GiB once it is unpacked, and "
            f"{have / 2**30:.1f} GiB are free; read a part of it, or use a larger machine."
        )
        raise MemoryError(message)


def _usable_memory() -> int:
    """Bytes that are free on this machine, or the limit of a container if lower; 0 if unknown."""
    limits = map(_read_number, _limit_files())
    # Without a limit a file says "max", or a number beyond any machine.
    return min((size for size in (_free_memory(), *limits) if size), default=0)


def _free_memory() -> int:
    """Bytes that can be had without swapping, or all of the machine where that is not said."""
    for line in _read_lines(FREE):
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def _limit_files() -> Iterator[Path]:
    """Files with the limits of this process's control groups and of all groups above them."""
    for line in _read_lines(GROUPS):
        _, controllers, group = line.split(":", 2)
        if not controllers:  # version 2
            folder, name = LIMITS, "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = LIMITS / "memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container the group may be named as the host sees it; its root is there in any case.
        inner = PurePosixPath(group.lstrip("/"))
        for each in (inner, *inner.parents):
            yield folder / each / name


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a file; none if it cannot be read."""
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _read_number(path: Path) -> int:
    """Return the number in a file; 0 if there is none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
