"""The guide's pictures of strengths: maps from none to too much, and the path between them.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% Penguins, whose species is known and whose sex is to be found.
import os
from pathlib import Path

from sklearn.preprocessing import scale

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
penguins = up.datasets.load_penguins()
X, labels = scale(penguins.X), penguins.labels
prior, hidden = {"species": labels["species"]}, {"sex": labels["sex"]}

# %% Maps at four strengths. None of the scores but those of the sex needs to know the sex.
maps = {
    f"strength {strength}": up.JEDI(strength=strength, random_state=0).fit_transform(X, prior=prior)
    for strength in (0, 0.5, 1, 3)
}
scores = up.scores.compare(maps, X=X, prior=prior, hidden=hidden)
print(scores)
axes = up.plot.compare(maps, color=prior | hidden, scores=scores)
axes[0, 0].figure.savefig(images / "guide_strengths.png", dpi=100)

# %% The path that `tune` walks: what is left of the species, and what is kept of the neighbours.
path = up.tune(up.JEDI(random_state=0), X, prior=prior)
print(path)
path.plot().figure.savefig(images / "guide_path.png", dpi=100)
