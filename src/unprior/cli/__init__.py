"""The command ``unprior``."""

from unprior.cli._main import main

__all__ = ["main"]
