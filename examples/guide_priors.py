"""The guide's picture of priors: prior knowledge as distances between samples.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% Sixty samples, about which several things are known.
import os
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import linkage

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
n = 60
batch = np.repeat(["a", "b", "c"], [30, 20, 10])
hour = np.linspace(0, 24, n)
place = np.linspace(-180, 180, n)
chain = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
chain[9, 50] = chain[50, 9] = 1  # a shortcut

# %% Each becomes a prior, which has a distance for any two samples.
known = {
    "labels(batch)": up.priors.labels(batch),
    "features(hour)": up.priors.features(hour),
    "cyclic(hour, 24)": up.priors.cyclic(hour, 24),
    "geo(50, place)": up.priors.geo(np.full(n, 50.0), place),
    "graph(chain)": up.priors.graph(chain),
    "tree(linkage)": up.priors.tree(linkage(hour[:, None], "average")),
    "combine(labels, hour)": up.priors.combine([batch, hour]),
    "combine, weights 4 to 1": up.priors.combine([batch, hour], weights=[4, 1]),
}

# %% Dark is near.
figure = Figure(figsize=(11, 6), layout="constrained")
for panel, (name, prior) in zip(figure.subplots(2, 4).flat, known.items(), strict=True):
    everyone = np.arange(n)
    panel.imshow(prior.block(everyone, everyone), cmap="viridis")
    panel.set(xticks=[], yticks=[])
    panel.set_title(name, fontsize="medium")
figure.savefig(images / "guide_priors.png", dpi=100)
