"""A header and blocks of bytes <-> one run of bytes, the same for server, notebook and file.

``UPX1`` | length of the JSON (u32, little-endian) | JSON | blocks, each at a multiple of 8 bytes.
The JSON is ``{"head": header, "blocks": [[offset, length], ...]}`` with offsets counted from the
first block; a header names a block by its place in that list. `web/src/container.ts` reads it too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

MAGIC = b"UPX1"

#: Blocks begin at multiples of this, so that a browser can look at them as numbers in place.
ALIGN = 8


class Blocks:
    """Collects blocks; `add` returns the number by which a header names one."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def add(self, data: Any) -> int:
        """Take an array or bytes."""
        self.parts.append(bytes(data) if isinstance(data, bytes | bytearray) else data.tobytes())
        return len(self.parts) - 1

    def add_texts(self, texts: Sequence[str]) -> int:
        """Take a list of texts."""
        return self.add(json.dumps([*texts], ensure_ascii=False).encode())


def pack(header: Mapping[str, Any], blocks: Sequence[bytes] = ()) -> bytes:
    """Put a header and blocks into one run of bytes.

    Examples
    --------
    >>> head, blocks = unpack(pack({"n": 2}, [b"ab", b"c"]))
    >>> head, [bytes(block) for block in blocks]
    ({'n': 2}, [b'ab', b'c'])
    """
    table, offset = [], 0
    for block in blocks:
        table.append([offset, len(block)])
        offset += len(block) + _pad(len(block))
    # NaN is no JSON; a header has None where there is no number.
    text = json.dumps({"head": header, "blocks": table}, ensure_ascii=False, allow_nan=False)
    head = text.encode()
    head += b" " * _pad(len(MAGIC) + 4 + len(head))
    parts = [MAGIC, struct.pack("<I", len(head)), head]
    for block in blocks:
        parts += [block, bytes(_pad(len(block)))]
    return b"".join(parts)


def unpack(data: bytes) -> tuple[dict[str, Any], list[memoryview]]:
    """Return header and blocks; refuse what is no container, or only part of one."""
    start = len(MAGIC) + 4
    if data[: len(MAGIC)] != MAGIC or len(data) < start:
        message = "unpack: the bytes are no container of the explorer; they do not begin with UPX1."
        raise ValueError(message)
    (length,) = struct.unpack("<I", data[len(MAGIC) : start])
    first = start + length
    whole = memoryview(data)
    try:
        content = json.loads(bytes(whole[start:first]))
        table = [(first + int(offset), int(size)) for offset, size in content["blocks"]]
        header = content["head"]
    except (ValueError, KeyError, TypeError) as error:
        message = "unpack: the container is damaged; its header cannot be read."
        raise ValueError(message) from error
    if any(at < first or size < 0 or at + size > len(data) for at, size in table):
        message = "unpack: the container is cut short; a block lies beyond its end."
        raise ValueError(message)
    return header, [whole[at : at + size] for at, size in table]


def _pad(length: int) -> int:
    return -length % ALIGN
