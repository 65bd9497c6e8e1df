"""Bytes -> a file that is there whole or not at all, also after a crash or a power cut."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

#: What the name of a file ends in while it is written.
PART = ".part"


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file under another name, force it to disk, and move it to its place.

    Whatever happens on the way, the file that was there before is still whole.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> write_bytes(path, b"{}")
    >>> [file.name for file in path.parent.iterdir()]
    ['a.json']
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    _force_names(path.parent)


def remove_parts(folder: Path) -> None:
    """Remove what a killed process has left half written."""
    for part in folder.glob(f".*{PART}"):
        with contextlib.suppress(OSError):
            part.unlink()


def _force_names(folder: Path) -> None:
    """Force the new name to disk too, where the system can (Windows cannot)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
