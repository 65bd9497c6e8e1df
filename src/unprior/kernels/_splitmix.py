"""The constants of splitmix64, for hashes in compiled loops and in NumPy alike."""

from __future__ import annotations

import numpy as np

#: The increment of the stream, and the factors that scramble it.
STEP = np.uint64(0x9E3779B97F4A7C15)
FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))

#: The start of the stream of `unprior.neighbors._ties`.
TIES_SEED = np.uint64(0x5851F42D4C957F2D)
