"""Progress bars for long work: on a terminal or in a notebook, silent elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

#: Work shorter than this many seconds shows no bar.
DELAY = 2.0
#: Seconds between two looks at the work that a notebook shows.
PAUSE = 0.5


def progress_bar(total: int, title: str, *, verbose: int = 0) -> Any:
    """Make a bar; ``verbose`` shows it at once, and also where no person is watching."""
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
    """A line below a cell that is written over, so that an exported notebook keeps one of it.

    It would keep a bar of text as often as that was drawn, and of a widget the beginning.
    """

    def __init__(self, total: int, title: str, *, delay: float, leave: bool) -> None:
        self.total, self.title, self.leave = total, title, leave
        self.n, self.start = 0, time.monotonic()
        self.next, self.told, self.shown = self.start + delay, "", None

    def __enter__(self) -> NotebookLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, n: int = 1) -> None:
        """Count what is done, and show it now and then."""
        self.n += n
        now = time.monotonic()
        if now >= self.next:
            self.next = now + PAUSE
            self._show()

    def set_postfix(self, refresh: bool = True, **values: Any) -> None:  # noqa: FBT001, FBT002
        """Say something beside the count."""
        self.told = ", ".join(f"{name}={value}" for name, value in values.items())

    def close(self) -> None:
        """Leave the last line, or nothing."""
        if self.shown is not None or (self.leave and self.n):
            self._show(last=True)

    def _show(self, *, last: bool = False) -> None:
        from IPython.display import display

        seconds = time.monotonic() - self.start
        parts = [f"{self.title}: {self.n} of {self.total}", f"{seconds:.0f} s", self.told]
        text = ", ".join(filter(None, parts)) if self.leave or not last else ""
        data = {"text/plain": text}
        if self.shown is None:
            self.shown = display(data, raw=True, display_id=True)
        else:
            self.shown.update(data, raw=True)


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    active = shell.get_ipython() if shell is not None else None
    return type(active).__name__ == "ZMQInteractiveShell"
