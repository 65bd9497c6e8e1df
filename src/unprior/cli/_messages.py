"""How all commands speak: talk to stderr, and one sentence for what went wrong."""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from unprior._interrupts import is_stop
from unprior._warnings import DataWarning


def say(text: str) -> None:
    """Tell the person at the terminal; stdout is for data."""
    click.echo(text, err=True)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what the library refuses into one sentence, and warnings into one line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        # `unprior.cli._prepare` says the same in the shell's words.
        warnings.filterwarnings("ignore", category=DataWarning)
        try:
            yield
        except Exception as error:
            if is_stop(error):
                raise KeyboardInterrupt from None
            sentence = _sentence(error)
            if sentence is None:
                raise
            raise click.ClickException(sentence) from error


def _sentence(error: Exception) -> str | None:
    """Return what the library or the system refused, in a sentence; None for other errors."""
    if isinstance(error, MemoryError):
        return str(error) or "there is not enough memory for these data."
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        return None  # the reader of our output has gone, which click takes quietly
    if isinstance(error, ImportError | ValueError | TypeError | FloatingPointError | OSError):
        return " ".join(str(error).split())
    return None


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    say(f"Warning: {' '.join(str(message).split())}")
