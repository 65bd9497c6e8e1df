"""Progress bars in terminals and notebooks."""

from __future__ import annotations

import sys
import time
from typing import Any

#: Seconds before a bar is shown.
DELAY = 2.0
#: Seconds between two updates in a notebook.
PAUSE = 0.5


def progress_bar(total: int, title: str, *, verbose: int = 0) -> Any:
    """Return a bar; with ``verbose`` it is shown at once, and not only in terminals."""
    delay = 0 if verbose else DELAY
    if in_notebook():
        return NotebookLine(total, title, delay=delay, leave=bool(verbose))
    from tqdm import tqdm

    return tqdm(
        total=total,
        desc=title,
        disable=not (verbose or sys.stderr.isatty()),
        delay=delay,
        leave=bool(verbose),
    )


class NotebookLine:
    """A line of progress below a notebook cell, updated in place.

    An exported notebook would keep each update of a text bar, and the first state of a widget.
    """

    def __init__(self, total: int, title: str, *, delay: float, leave: bool) -> None:
        self.total, self.title, self.leave = total, title, leave
        self.n, self.start = 0, time.monotonic()
        self.next, self.postfix, self.shown = self.start + delay, "", None

    def __enter__(self) -> NotebookLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, n: int = 1) -> None:
        """Add to the count, and show it from time to time."""
        self.n += n
        now = time.monotonic()
        if now >= self.next:
            self.next = now + PAUSE
            self._show()

    def set_postfix(self, refresh: bool = True, **values: Any) -> None:  # noqa: FBT001, FBT002
        """Set the text beside the count."""
        self.postfix = ", ".join(f"{name}={value}" for name, value in values.items())

    def close(self) -> None:
        """Show the final state, or clear the line."""
        if self.shown is not None or (self.leave and self.n):
            self._show(last=True)

    def _show(self, *, last: bool = False) -> None:
        from IPython.display import display

        seconds = time.monotonic() - self.start
        parts = [f"{self.title}: {self.n} of {self.total}", f"{seconds:.0f} s", self.postfix]
        text = ", ".join(filter(None, parts)) if self.leave or not last else ""
        data = {"text/plain": text}
        if self.shown is None:
            self.shown = display(data, raw=True, display_id=True)
        else:
            self.shown.update(data, raw=True)


def in_notebook() -> bool:
    """Whether this runs in a notebook."""
    shell = sys.modules.get("IPython")
    active = shell.get_ipython() if shell is not None else None
    return type(active).__name__ == "ZMQInteractiveShell"
