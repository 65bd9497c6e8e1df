"""Synthetic data with the true labels as prior → the paper's figure of them, and areas."""

from __future__ import annotations

from unprior import priors
from unprior.datasets import TwoFactorData
from unprior.reproduce import _methods as methods
from unprior.reproduce._draws import area_table, run_draws, write_first_draw
from unprior.reproduce._methods import Task
from unprior.reproduce._results import Section, figure
from unprior.reproduce._setting import Setting


def run_labels(setting: Setting) -> Section:
    """Redo the experiment with labels as prior."""
    draws = run_draws(setting, _tasks, "labels")
    write_first_draw(setting, "labels", draws[0], n_columns=3)
    blocks = [
        f"{len(draws[0].data.X)} samples, {len(draws)} draws, as above, with the true labels as "
        "prior. The paper shows the maps of JEDI and of CONFETTI at λ = 1 and gives no figures.",
        area_table(draws, {}),
        figure("labels_maps.png", "The first draw; colours and shapes as above."),
        figure("labels_overlap.png", "Overlap curves of the first draw, with signed areas."),
    ]
    return Section("Synthetic data, label prior", blocks)


def _tasks(setting: Setting, seed: int, data: TwoFactorData) -> dict[str, Task]:
    labels = priors.labels(data.known)
    return {
        "JEDI": Task(methods.jedi(setting, seed), labels),
        "CONFETTI, λ = 1": Task(methods.confetti(setting, seed, strength=1.0), labels),
        "CONFETTI, quantile": Task(methods.confetti(setting, seed, operator="quantile"), labels),
    }
