"""All cases of the benchmark, by name.

Families: "balanced" cases have about 1000 samples and classes of similar size; "unequal" ones have
a dominant class; "large" ones have 10 000 and 50 000 samples; "many" ones have 25 to 1000 classes;
"small" ones have classes of 2 to 10 samples; in "noise" ones the prior explains next to nothing; in
"composition" ones the shares of the hidden classes differ between the classes of the prior.

The split of a case is fixed before any method is run on it. No source or generator of a sealed case
is used by an open one. Fashion-MNIST is closed among the balanced cases, which have been looked at
since, and open among the large ones.
"""

from pathlib import Path

from quality.case import Case, Recipe
from quality.cases import (
    cells,
    composition,
    distances,
    images,
    large,
    many,
    noise,
    pictures,
    small,
    sounds,
    synthetic,
    tables,
    texts,
    unequal,
)

BALANCED = (synthetic, cells, images, pictures, texts, sounds, tables, distances)
MODULES = (*BALANCED, unequal, large, many, small, noise, composition)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe for module in MODULES for recipe in module.RECIPES
}
FAMILIES = tuple(dict.fromkeys(recipe.family for recipe in RECIPES.values()))
SPLITS = ("open", "closed", "sealed")


class SealedError(ValueError):
    """A sealed case was asked for without saying so."""


def load_case(name: str, data_dir: Path | str | None = None, *, sealed: bool = False) -> Case:
    """Make a case by name: an object with ``X``, ``prior``, ``hidden`` and ``metric``.

    Raises ImportError or FileNotFoundError if its data are not there, and SealedError for a sealed
    case unless ``sealed`` is true.
    """
    if name not in RECIPES:
        raise KeyError(f"load_case: no case is called {name!r}; quality.cases.RECIPES lists them")
    recipe = RECIPES[name]
    if recipe.split == "sealed" and not sealed:
        raise SealedError(
            f"load_case: {name} is sealed, to be run only when all settings are fixed; "
            "pass sealed=True (--sealed) if they are"
        )
    return recipe.load(None if data_dir is None else Path(data_dir))
