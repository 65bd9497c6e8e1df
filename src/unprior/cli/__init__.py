"""The command ``unprior``."""

from unprior.cli._stops import quiet_stops

with quiet_stops():  # loading the commands takes long enough to be stopped
    from unprior.cli._main import main

__all__ = ["main"]
