"""The picture of overlap curves: species and sex in maps of t-SNE and JEDI, at all scales.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% Penguins, with the species as prior and the sex as the structure to be found.
import os
from pathlib import Path

from sklearn.preprocessing import scale

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
penguins = up.datasets.load_penguins()
X, species, sex = scale(penguins.X), penguins.labels["species"], penguins.labels["sex"]

# %% A plain map and one without the species.
maps = {
    "t-SNE": up.JEDI(strength=0, perplexity=30, random_state=0).fit_transform(X, prior=species),
    "JEDI": up.JEDI(random_state=0).fit_transform(X, prior=species),
}

# %% Their overlap with both kinds of labels.
curves = {
    f"{name}, {what}": up.scores.overlap_curve(Y, up.priors.labels(labels))
    for name, Y in maps.items()
    for what, labels in {"species": species, "sex": sex}.items()
}
up.plot.overlap(curves).figure.savefig(images / "guide_scores.png", dpi=100)
