"""Penguins: several priors at once, some of them labels and some of them numbers.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% The data: four body measurements of 333 penguins, standardised.
import os
from pathlib import Path

from sklearn.preprocessing import scale

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
penguins = up.datasets.load_penguins()
X, sex = scale(penguins.X), penguins.labels["sex"]

# %% What we know about each bird. Text is read as labels; the year is an integer, which could be
# either, so we specify that it is an amount. The sex is hidden, to see whether the map finds it.
priors = {name: penguins.labels[name] for name in ("species", "island")}
priors["year"] = up.priors.features(penguins.labels["year"])

# %% Three maps. A dict factors out each of its priors separately.
maps = {
    "t-SNE": up.embed(X, prior=priors, method="tsne", random_state=0),
    "Residual, then t-SNE": up.embed(X, prior=priors, method="residual", random_state=0),
}
maps["embed"], report = up.embed(X, prior=priors, random_state=0, return_report=True)
print(report)

# %% How much of each prior is left, how much of the sex is kept?
comparison = up.scores.compare(maps, X=X, prior=priors, hidden={"sex": sex})
print(comparison)

# %% Coloured by species, a prior, and by sex, which no method was given.
colors = {"species": priors["species"], "sex": sex}
axes = up.plot.compare(maps, color=colors, scores=comparison)
axes[0, 0].figure.savefig(images / "penguins.png", dpi=100)
