"""Little to be removed: questionnaires and tables whose prior explains next to nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from quality.case import SIZE, Samples, recipe_of, some_rows, standardize
from quality.cases.tables import r_table
from unprior import priors


def survey(folder: Path | None, known: str) -> Samples:
    """Thirty answers on a scale of five, from four weak factors; the kind of person is hidden.

    Women answer three of the items a quarter of a standard deviation higher, older people two, and
    the rest of the prior does nothing at all.
    """
    rng = np.random.default_rng(1001)
    kind, gender = rng.integers(4, size=SIZE), rng.integers(2, size=SIZE)
    age, region = rng.uniform(18, 80, SIZE), rng.choice(5, size=SIZE, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    factors = 1.6 * rng.normal(size=(4, 4))[kind] + rng.normal(size=(SIZE, 4))
    answers = factors @ (0.6 * rng.normal(size=(4, 30))) + 0.8 * rng.normal(size=(SIZE, 30))
    answers[:, :3] += 0.25 * (gender - 0.5)[:, None]
    answers[:, 3:5] += 0.25 * standardize(age)[:, None]
    edges = np.quantile(answers, [0.1, 0.35, 0.65, 0.9])
    X = np.digitize(answers, edges).astype(float)
    known_as = {
        "gender": lambda: priors.labels(gender),
        "age": lambda: priors.features(age),
        "region": lambda: priors.labels(region),
    }
    return Samples(X, known_as[known](), kind)


def bfi(folder: Path | None, known: str) -> Samples:
    """The 25 items of a personality questionnaire: low, middle or high neuroticism is hidden."""
    table = r_table("psych/bfi").dropna()
    table = table.iloc[some_rows(len(table))]
    items = table.columns[:25]
    tercile = _terciles(table[[f"N{k}" for k in range(1, 6)]].sum(axis=1))
    prior = (
        priors.labels(table["gender"].to_numpy())
        if known == "gender"
        else priors.features(table["age"].to_numpy(float))
    )
    return Samples(table[items].to_numpy(float), prior, tercile)


def msq(folder: Path | None) -> Samples:
    """Seventy moods of people in experiments: the experiment is known, arousal is hidden."""
    table = r_table("psych/msq")
    items = [*table.columns[:72]]
    table = table[[*items, "exper", "EA"]].dropna()
    common = table["exper"].value_counts()
    table = table[table["exper"].isin(common.index[common >= 50])]
    table = table.iloc[some_rows(len(table))]
    prior = priors.labels(table["exper"].to_numpy(str))
    return Samples(table[items].to_numpy(float), prior, _terciles(table["EA"]))


def bloods(folder: Path | None) -> Samples:
    """Skewed laboratory values of three diseases; two of thirty depend on a known sex."""
    rng = np.random.default_rng(1002)
    disease, sex = rng.integers(3, size=SIZE), rng.choice(2, size=SIZE, p=[0.6, 0.4])
    logs = rng.normal(size=(SIZE, 30)) + 1.0 * rng.normal(size=(3, 30))[disease]
    logs[:, :2] += 0.5 * sex[:, None]
    return Samples(standardize(np.exp(0.5 * logs)), priors.labels(sex), disease)


def _terciles(values) -> np.ndarray:
    return np.digitize(values, np.quantile(values, [1 / 3, 2 / 3]))


_recipe = partial(recipe_of, "noise")

RECIPES = (
    _recipe("survey-gender", "open", "gender → kind of person", survey, known="gender"),
    _recipe("survey-age", "open", "age → kind of person", survey, known="age"),
    _recipe("survey-region", "open", "region → kind of person", survey, known="region"),
    _recipe("bfi-gender", "open", "gender → neuroticism", bfi, known="gender"),
    _recipe("bfi-age", "open", "age → neuroticism", bfi, known="age"),
    _recipe("moods", "sealed", "experiment → energy", msq),
    _recipe("bloods", "sealed", "sex → disease", bloods),
)
