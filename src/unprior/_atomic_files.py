"""Write files atomically, also with respect to crashes and power cuts."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

#: Suffix of a file while it is written.
PART = ".part"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file under a temporary name; at the end, flush it to disk and rename it.

    If this fails at any point, the previous file is unchanged.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    _flush_folder(path.parent)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as `replacing` does.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> write_bytes(path, b"{}")
    >>> [file.name for file in path.parent.iterdir()]
    ['a.json']
    """
    with replacing(path) as file:
        file.write(content)


def remove_parts(folder: Path) -> None:
    """Remove temporary files of killed processes."""
    for part in folder.glob(f".*{PART}"):
        with contextlib.suppress(OSError):
            part.unlink()


def _flush_folder(folder: Path) -> None:
    """Flush the renaming to disk as well, where supported (not on Windows)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
