"""Check that large arrays fit into memory, before the machine starts to swap."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

#: Files of Linux with the free memory, the control groups of this process, and their limits.
FREE = Path("/proc/meminfo")
GROUPS = Path("/proc/self/cgroup")
LIMITS = Path("/sys/fs/cgroup")

#: The file with the memory in use, for each file with a limit; and the counts in ``memory.stat`` of
#: memory that is freed when needed, which holds copies of files.
IN_USE = {"memory.max": "memory.current", "memory.limit_in_bytes": "memory.usage_in_bytes"}
GIVEN_BACK = ("active_file", "inactive_file")


def check_square_fits(who: str, n_samples: int, n_arrays: int) -> None:
    """Refuse n × n arrays of float64 that do not fit into memory."""
    _check_fits(
        8 * n_samples**2 * n_arrays,
        f"{who}: {n_samples} samples need {n_arrays} arrays of {n_samples} × {n_samples}, ",
        "fit a random subset of the samples",
    )


def check_columns_fit(who: str, n_samples: int, n_columns: int, n_arrays: int, advice: str) -> None:
    """Refuse columns of float64 made of a prior that do not fit into memory."""
    _check_fits(
        8 * n_samples * n_columns * n_arrays,
        f"{who}: 'prior' makes {n_columns} columns for {n_samples} samples, which need ",
        advice,
    )


def check_array_fits(who: str, name: str, n_samples: int, n_columns: int) -> None:
    """Refuse sparse data whose dense array does not fit into memory twice."""
    _check_fits(
        2 * 8 * n_samples * n_columns,
        f"{who}: {name!r} is sparse; {n_samples} samples with all {n_columns} columns need ",
        "reduce it, for example with sklearn.decomposition.PCA(50, svd_solver='arpack')",
    )


def check_file_fits(file: str, need: int) -> None:
    """Refuse a file whose unpacked content does not fit into memory."""
    _check_fits(
        need,
        f"{file}: its content, unpacked, needs ",
        "read a part of it, or use a machine with more memory",
        digits=1,
    )


def _check_fits(need: int, subject: str, advice: str, digits: int = 0) -> None:
    """Refuse to use more bytes than are free; ``subject`` begins the sentence."""
    have = _usable_memory()
    if have and need > have:
        message = (
            f"{subject}{need / 2**30:.{digits}f} GiB, but only "
            f"{have / 2**30:.{digits}f} GiB are free; {advice}."
        )
        raise MemoryError(message)


def _usable_memory() -> int:
    """Return the free bytes of the machine, or of its container if that has less; 0 if unknown."""
    left = map(_left_of, _limit_files())
    return min((size for size in (_free_memory(), *left) if size), default=0)


def _free_memory() -> int:
    """Return the bytes available without swapping, or all memory if that is unknown."""
    for line in _read_lines(FREE):
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def _left_of(limit_file: Path) -> int:
    """Return the bytes that a control group may still take, at least 1; 0 without a limit."""
    # Without a limit a file says "max", or a number beyond any machine.
    limit = _read_number(limit_file)
    if not limit:
        return 0
    in_use = _read_number(limit_file.with_name(IN_USE[limit_file.name]))
    lines = map(str.split, _read_lines(limit_file.with_name("memory.stat")))
    counts = {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit()}
    # Version 1 has a total with the groups inside.
    cached = sum(counts.get(f"total_{name}", counts.get(name, 0)) for name in GIVEN_BACK)
    return max(1, limit - max(0, in_use - cached))


def _limit_files() -> Iterator[Path]:
    """Yield the files with the limits of this process's control groups and their parents."""
    for line in _read_lines(GROUPS):
        _, controllers, group = line.split(":", 2)
        if not controllers:  # version 2
            folder, name = LIMITS, "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = LIMITS / "memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container the group may have the name of the host; its root always exists.
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
    """Return the number in a file; 0 without one."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
