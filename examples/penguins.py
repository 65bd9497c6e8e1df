"""Penguins: a table of what is known, some of it words and some of it numbers.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% The data: four body measurements of 333 penguins, in units of their spread.
import os
from pathlib import Path

import pandas as pd
from sklearn.preprocessing import scale

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
penguins = up.datasets.load_penguins()
X, sex = scale(penguins.X), penguins.labels["sex"]

# %% What we know of each bird. Words are labels; the year is an integer, which could be either, so
# we say that it is an amount. The sex we keep to ourselves, to see whether the map finds it.
known = pd.DataFrame({name: penguins.labels[name] for name in ("species", "island", "year")})
known = known.astype({"year": float})
priors = {name: known[name] for name in known}

# %% Three maps. A dict factors out each of its priors on its own. What mostly shifts the data, as a
# species does, is best taken out of the data first.
left = up.Residual().fit_transform(X, prior=priors)
tsne = up.JEDI(strength=0, perplexity=30, random_state=0)  # at strength 0 JEDI is plain t-SNE
maps = {
    "t-SNE": tsne.fit_transform(X, prior=priors),
    "JEDI": up.JEDI(random_state=0).fit_transform(X, prior=priors),
    "Residual, then t-SNE": tsne.fit_transform(left, prior=priors),
}

# %% How much of each prior is left, how much of the sex is kept?
comparison = up.scores.compare(maps, prior=priors, hidden={"sex": sex})
print(comparison)

# %% JEDI alone removes the species, and the sex with it: against three priors at once, little of
# these four measurements is left to draw. After the residual, the map shows the sexes side by side.
axes = up.plot.compare(maps, color={"species": known["species"], "sex": sex}, scores=comparison)
axes[0, 0].figure.savefig(images / "penguins.png", dpi=100)
