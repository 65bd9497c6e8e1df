"""The guide's pictures of strengths: maps without, with half and with all of the prior removed.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% Handwritten digits, with their brightness (the amount of ink) as prior.
import os
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.preprocessing import scale

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
X, digit = load_digits(return_X_y=True)
X, digit = X[:700], digit[:700].astype(str)
prior, hidden = {"brightness": X.mean(axis=1)}, {"digit": digit}

# %% Maps at three strengths. At 0.5, the aim is to leave half of what the plain map shows.
maps = {
    f"strength {strength}": up.embed(X, prior=prior, strength=strength, random_state=0)
    for strength in (0, 0.5, 1)
}
scores = up.scores.compare(maps, X=X, prior=prior, hidden=hidden)
print(scores)
axes = up.plot.compare(maps, color=prior | hidden, scores=scores)
axes[0, 0].figure.savefig(images / "guide_strengths.png", dpi=100)

# %% JEDI's strength has to be tuned. `tune` tries several: what is left of the penguins' species,
# and what is kept of their neighbours.
penguins = up.datasets.load_penguins()
path = up.tune(
    up.JEDI(random_state=0), scale(penguins.X), prior={"species": penguins.labels["species"]}
)
print(path)
path.plot().figure.savefig(images / "guide_path.png", dpi=100)
