"""Distances only: names of colours by their spelling, with their length factored out.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% The data: names that people gave to colours, which come with matplotlib; those that end in a
# common word, such as "dull blue" and "vomit green".
import os
from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.colors import XKCD_COLORS

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
names = [name.removeprefix("xkcd:") for name in XKCD_COLORS]
common = {word for word, count in Counter(name.split()[-1] for name in names).items() if count > 24}
names = [name for name in names if name.split()[-1] in common]
last = np.array([name.split()[-1] for name in names])
length = np.array([len(name) for name in names])


# %% Words have no coordinates, only a matrix of edit distances.
def edit_distances(words):
    """Count the letters to insert, delete or change; row[j] is for i letters and j letters."""
    n, longest = len(words), max(map(len, words))
    letters = np.array([[ord(letter) for letter in word.ljust(longest)] for word in words])
    row, result = [np.full((n, n), j) for j in range(longest + 1)], np.zeros((n, n))
    for i in range(1, longest + 1):
        before, row = row, [np.full((n, n), i)]
        for j in range(1, longest + 1):
            differ = letters[:, None, i - 1] != letters[:, j - 1]
            row.append(np.minimum(np.minimum(before[j], row[-1]) + 1, before[j - 1] + differ))
            here = (length[:, None] == i) & (length == j)
            result[here] = row[j][here]
    return result


distances = edit_distances(names)

# %% Names of different length are far apart whatever they mean: the prior, as distances too.
known = up.priors.distances(np.abs(length[:, None] - length))
plain = up.JEDI(strength=0, perplexity=30, metric="precomputed", random_state=0)
confetti = up.Confetti(
    operator="linear", strength=2.0, embedder="tsne", metric="precomputed", random_state=0
)
maps = {
    "t-SNE": plain.fit_transform(distances, prior=known),
    "CONFETTI": confetti.fit_transform(distances, prior=known),
}
print(up.scores.compare(maps, prior={"length": known}, hidden={"last word": last}))

# %% Every name coloured by its last word, and by its length.
palette = {"last word": {word: f"xkcd:{word}" for word in common}}
axes = up.plot.compare(maps, color={"last word": last, "length": length * 1.0}, palette=palette)
axes[0, 0].figure.savefig(images / "word_distances.png", dpi=100)
