"""Seconds that steps took -> how many threads the next one gets, on a machine that others use too.

For work that gives the same bits on any number of threads, so that this is a matter of time alone.
Threads that meet some thousand times a second all wait for the one whose core another program has
taken: then a single thread can be many times quicker.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Steps on all threads before the first one on a single thread, which is what others are held to.
FIRST = 2

#: Steps on all threads may take as long as so many on one; steps until all are tried again.
WINDOW, STAY = 10, 50


@dataclass
class Pace:
    """All threads, unless one alone is quicker; after a while all are tried again.

    Examples
    --------
    >>> pace = Pace(4)
    >>> for seconds in [0.1, 0.1, 0.3]:
    ...     pace.note(seconds)
    >>> pace.n_threads
    4
    >>> pace.note(20.0)
    >>> pace.n_threads
    1
    """

    most: int

    def __post_init__(self) -> None:
        self.n_threads = self.most
        self._single = float("inf")  # seconds of the last step on one thread
        self._on_all, self._n_on_all = 0.0, 0
        self._left = 0  # steps that are still to be on one thread

    def note(self, seconds: float) -> None:
        """Take note of what a step took."""
        if self.n_threads > 1:
            self._after_all(seconds)
        elif self.most > 1:
            self._after_one(seconds)

    def _after_all(self, seconds: float) -> None:
        self._on_all += seconds
        self._n_on_all += 1
        if self._on_all > WINDOW * self._single:
            self.n_threads, self._left = 1, STAY
        elif self._n_on_all == FIRST and self._single == float("inf"):
            self.n_threads, self._left = 1, 1
        elif self._n_on_all == WINDOW:
            self._on_all, self._n_on_all = 0.0, 0

    def _after_one(self, seconds: float) -> None:
        if self._single == float("inf") and seconds * self._n_on_all < self._on_all:
            self._left = STAY
        self._single = seconds
        self._left -= 1
        if self._left == 0:
            self.n_threads, self._on_all, self._n_on_all = self.most, 0.0, 0
