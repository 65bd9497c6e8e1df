"""Images: handwritten digits, without the amount of ink.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% The data: 1000 digits that come with scikit-learn, 8 × 8 pixels each, and their brightness.
import os
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_digits

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
digits = load_digits()
table = pd.DataFrame({"pixels": [*digits.data[:1000]]})  # a vector in each cell, as in databases
table["brightness"] = digits.data[:1000].mean(axis=1)
digit = digits.target[:1000].astype(str)

# %% A plain map, and one without the brightness, given by the name of its column.
maps = {
    "t-SNE": up.embed(table, prior="brightness", method="tsne", random_state=0),
    "embed": up.embed(table, prior="brightness", random_state=0),
}

# %% Both, coloured by brightness (top) and by digit (bottom), which neither was given.
color = {"brightness": table["brightness"].to_numpy(), "digit": digit}
axes = up.plot.compare(maps, color=color)
axes[0, 0].figure.savefig(images / "images.png", dpi=100)

# %% How much of the brightness is left, how much of the digits is kept?
print(up.scores.compare(maps, X=table, prior="brightness", hidden={"digit": digit}))
