"""The paper's experiments → figures and tables of ours beside the paper's own numbers."""

from unprior.reproduce._files import BrokenFileError
from unprior.reproduce._run import EXPERIMENTS, reproduce
from unprior.reproduce._setting import Setting

__all__ = ["EXPERIMENTS", "BrokenFileError", "Setting", "reproduce"]
