"""The binary container of the explorer, the same for server, notebook and file.

``UPX1`` | length of the JSON (u32, little-endian) | JSON | blocks, each at a multiple of 8 bytes.
The JSON is ``{"head": header, "blocks": [[offset, length], ...]}`` with offsets relative to the
first block; the header refers to a block by its index in that list. Coordinates are stored as
16-bit integers. `web/src/container.ts` reads it too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats

MAGIC = b"UPX1"

#: Alignment of blocks in bytes, so that a browser can view them as typed arrays.
ALIGN = 8

#: Resolution of quantised coordinates: steps along the side of the square around a map.
STEPS = 65535


class Blocks:
    """Collects blocks; `add` returns the index by which a header refers to one."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def add(self, data: Any) -> int:
        """Add an array or bytes."""
        self.parts.append(bytes(data) if isinstance(data, bytes | bytearray) else data.tobytes())
        return len(self.parts) - 1

    def add_texts(self, texts: Sequence[str]) -> int:
        """Add a list of strings."""
        return self.add(json.dumps([*texts], ensure_ascii=False).encode())


def pack(header: Mapping[str, Any], blocks: Sequence[bytes] = ()) -> bytes:
    """Pack a header and blocks into bytes.

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
    # JSON has no NaN; headers use None instead.
    text = json.dumps({"head": header, "blocks": table}, ensure_ascii=False, allow_nan=False)
    head = text.encode()
    head += b" " * _pad(len(MAGIC) + 4 + len(head))
    parts = [MAGIC, struct.pack("<I", len(head)), head]
    for block in blocks:
        parts += [block, bytes(_pad(len(block)))]
    return b"".join(parts)


def unpack(data: bytes) -> tuple[dict[str, Any], list[memoryview]]:
    """Return header and blocks; refuse bytes that are not a complete container."""
    start = len(MAGIC) + 4
    if data[: len(MAGIC)] != MAGIC or len(data) < start:
        message = "unpack: not a container of the explorer; the bytes do not start with UPX1."
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
        message = "unpack: the container is truncated; a block lies beyond its end."
        raise ValueError(message)
    return header, [whole[at : at + size] for at, size in table]


def _pad(length: int) -> int:
    return -length % ALIGN


@dataclass(frozen=True, eq=False)
class Quantized:
    """A map as 16-bit integers.

    Attributes
    ----------
    points : ndarray of shape (n_samples, 2), uint16
        Coordinates, in steps from the lower left corner of the square.
    square : tuple of three floats
        That corner and the side length. Both axes have the same scale.
    """

    points: NDArray[np.uint16]
    square: tuple[float, float, float]


def quantize(Y: Floats) -> Quantized:
    """Round coordinates to 65535ths of the map's larger extent.

    Examples
    --------
    >>> import numpy as np
    >>> found = quantize(np.array([[0.0, 1.0], [4.0, 3.0]]))
    >>> found.square
    (0.0, 0.0, 4.0)
    """
    low, high = Y.min(axis=0), Y.max(axis=0)
    side = float((high - low).max()) or 1.0
    corner = (low + high - side) / 2
    steps = np.rint((Y - corner) * (STEPS / side)).clip(0, STEPS)
    points = np.ascontiguousarray(steps.astype("<u2"))
    return Quantized(points, (float(corner[0]), float(corner[1]), side))
