"""All cases of the quality benchmark, by name.

Which split a case belongs to was decided once, before any was scored, and stands in its recipe. All
cases made from one source stand on the same side, so that nothing learnt from an open case is
about a closed one.
"""

from quality_cases import (
    _cells,
    _distances,
    _images,
    _pictures,
    _sounds,
    _synthetic,
    _tables,
    _texts,
)
from quality_cases._case import Case, Recipe, Samples

MODULES = (_synthetic, _cells, _images, _pictures, _texts, _sounds, _tables, _distances)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe for module in MODULES for recipe in module.RECIPES
}

__all__ = ["RECIPES", "Case", "Recipe", "Samples"]
