"""The guide's picture of methods: two kinds of data, five ways to draw them.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% Penguins, with the species as prior. The species differ mainly in their means.
import os
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.preprocessing import scale

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
penguins = up.datasets.load_penguins()
X, species, sex = scale(penguins.X), penguins.labels["species"], penguins.labels["sex"]

# %% Generated measurements that follow the hour of the day around a bent loop; two kinds of days.
rng = np.random.default_rng(0)
hour, day = rng.uniform(0, 24, 400), rng.choice(["busy", "calm"], 400)
angle = 2 * np.pi * hour / 24
loop = [3 * np.cos(angle), 3 * np.sin(angle), 2 * np.cos(2 * angle), 2 * np.sin(2 * angle)]
shift = 1.2 * (day == "busy")
measured = np.column_stack([*loop, shift, shift]) + 0.2 * rng.normal(size=(400, 6))
cases = {
    "species": (X, up.priors.labels(species), {"sex": sex}),
    "hour": (measured, up.priors.cyclic(hour, period=24), {"day": day}),
}


# %% Plain t-SNE, and four ways to factor the prior out.
METHODS = {
    "t-SNE": "tsne",
    "embed": "auto",
    "Residual, then t-SNE": "residual",
    "CONFETTI, then t-SNE": "confetti",
    "JEDI": "jedi",
}


def draw(X, prior):
    """Map the data by every method."""
    return {
        name: up.embed(X, prior=prior, method=method, random_state=0)
        for name, method in METHODS.items()
    }


# %% One row per data set, coloured by the structure to be found.
figure = Figure(figsize=(16, 6.5), layout="constrained")
for panels, (name, (data, prior, hidden)) in zip(figure.subplots(2, 5), cases.items(), strict=True):
    maps = draw(data, prior)
    scores = up.scores.compare(maps, prior={name: prior}, hidden=hidden)
    up.plot.compare(maps, color=hidden, scores=scores, ax=[panels])
    print(scores)
figure.savefig(images / "guide_methods.png", dpi=100)
