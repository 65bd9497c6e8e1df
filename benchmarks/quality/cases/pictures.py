"""Pictures and fonts that ship with packages: light, colour, letter or font is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality.case import Recipe, Samples, package_folder, principal
from unprior import priors

#: Fonts that matplotlib brings, by family; upright and slanted, light and bold.
FONTS = {
    "sans": ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSans-BoldOblique"),
    "serif": ("DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic", "DejaVuSerif-BoldItalic"),
    "mono": (
        "DejaVuSansMono",
        "DejaVuSansMono-Bold",
        "DejaVuSansMono-Oblique",
        "DejaVuSansMono-BoldOblique",
    ),
    "times": ("STIXGeneral", "STIXGeneralBol", "STIXGeneralItalic", "STIXGeneralBolIta"),
}
LETTERS = "ABDEGHKMNRSaefgkmrst"
#: Sides in pixels of a drawn letter, and of a patch of a photograph.
GLYPH, PATCH = 20, 32


def glyphs_letter(folder: Path | None) -> Samples:
    """Letters in 16 fonts: the letter is known, the font's family is to be seen."""
    X, letter, family = glyphs()
    return Samples(X, priors.labels(letter), family)


def glyphs_font(folder: Path | None) -> Samples:
    """Letters in 16 fonts: the family is known, the letter is to be seen."""
    X, letter, family = glyphs()
    return Samples(X, priors.labels(family), letter)


def faces_light(folder: Path | None) -> Samples:
    """Faces lit from a known direction, all the way round."""
    rng = np.random.default_rng(301)
    face = np.repeat(np.arange(40), 25)
    angle = rng.uniform(0, 2 * np.pi, len(face))
    return Samples(faces(face, angle, rng), priors.cyclic(angle, 2 * np.pi), face)


def textures_light(folder: Path | None) -> Samples:
    """Patches of brick, grass and gravel under light of known strength, any way up."""
    rng = np.random.default_rng(302)
    kind, gain = rng.integers(3, size=900), rng.uniform(0.3, 1.0, 900)
    return Samples(textures(kind, gain, rng), priors.features(np.log(gain)), kind)


def photos_colour(folder: Path | None) -> Samples:
    """Patches of six photographs: a patch's mean colour is known, the photograph is hidden."""
    names = ("astronaut.png", "chelsea.png", "coffee.png", "ihc.png", "retina.jpg", "rocket.jpg")
    images = [_picture(name)[..., :3] for name in names]
    rng = np.random.default_rng(303)
    photo = rng.integers(len(names), size=1000)
    patches = [_patch(images[k], rng) for k in photo]
    color = np.array([patch.mean(axis=(0, 1)) for patch in patches])
    detail = np.array([_edges(patch.mean(axis=2)) for patch in patches])
    spread = np.array([patch.std(axis=(0, 1)) for patch in patches])
    X = np.hstack([color / color.std(), detail / detail.std(), spread / spread.std()])
    return Samples(X, priors.features(color), photo)


def faces(face: np.ndarray, angle: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Light a face from an angle, for each sample."""
    # The first hundred are faces, the others are not.
    pictures = np.load(package_folder("skimage") / "data" / "lfw_subset.npy")[:100]
    y, x = np.mgrid[-1:1:25j, -1:1:25j]
    slope = np.cos(angle)[:, None, None] * x + np.sin(angle)[:, None, None] * y
    lit = pictures[face] * (1 + 0.8 * slope) + 0.03 * rng.normal(size=(len(face), 25, 25))
    return principal(lit.reshape(len(face), -1))


def textures(kind: np.ndarray, gain: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Describe a random patch of brick, grass or gravel for each sample, under its own light."""
    images = [_picture(f"{name}.png") for name in ("brick", "grass", "gravel")]
    patches = [gain[i] * _patch(images[kind[i]], rng) for i in range(len(kind))]
    return np.array([np.hstack([_levels(patch), _edges(patch)]) for patch in patches])


def glyphs(letters: str = LETTERS, copies: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw every letter some times in every font, a little larger or smaller, a little off.

    Returns images, letters and families of fonts.
    """
    rng = np.random.default_rng(304)
    drawn = [
        (_draw(letter, font, rng), letter, family)
        for letter in letters
        for family, fonts in FONTS.items()
        for font in fonts
        for _ in range(copies)
    ]
    images, drawn_letters, families = zip(*drawn, strict=True)
    X = principal(np.reshape(images, (len(images), -1)))
    return X, np.array(drawn_letters), np.array(families)


def glyphs_by_weight(letters: str, copies: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw letters as `glyphs` does; returns images, letters, and 1 for those in bold."""
    X, letter, _ = glyphs(letters, copies)
    # Of the fonts of a family every other is bold, with all copies of a letter one after another.
    return X, letter, np.arange(len(X)) // copies % 2


def _draw(letter: str, font: str, rng: np.random.Generator) -> np.ndarray:
    """Draw a letter, dark 1 on 0, somewhere near the middle of a square."""
    from matplotlib.ft2font import FT2Font

    pen = FT2Font(str(package_folder("matplotlib") / "mpl-data" / "fonts" / "ttf" / f"{font}.ttf"))
    pen.set_size(rng.uniform(14, 17), 72)
    pen.set_text(letter)
    pen.draw_glyphs_to_bitmap()
    ink = np.asarray(pen.get_image())[:GLYPH, :GLYPH] / 255
    room = np.array([GLYPH, GLYPH]) - ink.shape
    top, left = np.clip(room // 2 + rng.integers(-1, 2, 2), 0, room)
    square = np.zeros((GLYPH, GLYPH))
    square[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    return square


def _picture(name: str) -> np.ndarray:
    path = package_folder("skimage") / "data" / name
    from skimage.io import imread

    return imread(path) / 255


def _patch(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cut a square out of an image, and turn it by a random number of quarters."""
    top, left = (rng.integers(side - PATCH) for side in image.shape[:2])
    return np.rot90(image[top : top + PATCH, left : left + PATCH], rng.integers(4))


def _levels(patch: np.ndarray) -> np.ndarray:
    """How bright the pixels of a patch are: nine quantiles."""
    return np.quantile(patch, np.linspace(0.1, 0.9, 9))


def _edges(patch: np.ndarray) -> np.ndarray:
    """Mean strength of the edges at four scales, across and down in order of size."""
    scales = [patch, *(patch.reshape(s, PATCH // s, s, -1).mean(axis=(1, 3)) for s in (16, 8, 4))]
    return np.array([_steps(scale, which) for scale in scales for which in (min, max)])


def _steps(patch: np.ndarray, which) -> float:
    return which(np.abs(np.diff(patch, axis=axis)).mean() for axis in (0, 1))


RECIPES = (
    Recipe("glyphs-letter", "closed", "letter known → font family", glyphs_letter),
    Recipe("glyphs-font", "closed", "font family known → letter", glyphs_font),
    Recipe("faces-light", "closed", "direction of light known → face", faces_light),
    Recipe("textures-light", "closed", "strength of light known → material", textures_light),
    Recipe("photos-colour", "open", "mean colour known → photograph", photos_colour),
)
