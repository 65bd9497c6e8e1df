"""The paper's experiments → figures and tables, with the paper's own numbers next to ours."""

from unprior.reproduce._run import EXPERIMENTS, reproduce
from unprior.reproduce._setting import BrokenFileError, Setting

__all__ = ["EXPERIMENTS", "BrokenFileError", "Setting", "reproduce"]
