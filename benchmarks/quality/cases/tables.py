"""Tables that ship with packages: species, size, time or place is known, a class is hidden."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np

from quality.case import SIZE, Recipe, Samples, package_folder, some_rows, standardize
from unprior import datasets, priors


def penguins_species(folder: Path | None) -> Samples:
    """Penguins: the species is known, the sex is hidden."""
    birds = datasets.load_penguins()
    return Samples(
        standardize(birds.X), priors.labels(birds.labels["species"]), birds.labels["sex"]
    )


def gapminder_year(folder: Path | None) -> Samples:
    """Countries over 55 years: the year is known, the continent is hidden."""
    table, X = gapminder()
    return Samples(
        X, priors.features(table["year"].to_numpy(float)), table["continent"].to_numpy(str)
    )


def gapminder_place(folder: Path | None) -> Samples:
    """Countries over 55 years: where they lie is known, the time is hidden."""
    table, X = gapminder()
    place = priors.geo(table["centroid_lat"].to_numpy(float), table["centroid_lon"].to_numpy(float))
    return Samples(X, place, np.digitize(table["year"], [1970, 1990]))


def breast_size(folder: Path | None) -> Samples:
    """Tumours: the size of their cell nuclei is known, whether they are malignant is hidden."""
    from sklearn.datasets import load_breast_cancer

    tumours = load_breast_cancer()
    X = standardize(np.log1p(tumours.data))
    size = [k for k, name in enumerate(tumours.feature_names) if "radius" in name or "area" in name]
    return Samples(X, priors.features(X[:, size]), tumours.target)


def diamonds_carat(folder: Path | None) -> Samples:
    """Diamonds: the weight is known, how well they are cut is hidden."""
    table = r_table("ggplot2/diamonds")
    table = table[(table[["x", "y", "z"]] > 0).all(axis=1)]
    table = table.iloc[some_rows(len(table))]
    sizes = np.log(table[["carat", "price", "x", "y", "z"]].to_numpy(float))
    X = standardize(np.hstack([sizes, table[["depth", "table"]].to_numpy(float)]))
    return Samples(X, priors.features(sizes[:, 0]), table["cut"].to_numpy(str))


def baseball_games(folder: Path | None) -> Samples:
    """Seasons of batters: how much each played is known, the age of the game is hidden."""
    table = r_table("plyr/baseball")
    counts = ["r", "h", "X2b", "X3b", "hr", "rbi", "sb", "bb", "so"]
    table = table[table["ab"] >= 50].dropna(subset=counts)
    table = table.iloc[some_rows(len(table))]
    played = standardize(np.log(table[["g", "ab"]].to_numpy(float)))
    X = np.hstack([played, standardize(np.log1p(table[counts].to_numpy(float)))])
    era = np.digitize(table["year"], [1920, 1960, 1990])
    return Samples(X, priors.features(played), era)


def segments_place(folder: Path | None) -> Samples:
    """Pieces of outdoor photographs: their place in the picture is known, what they show is not."""
    import pandas as pd

    table = pd.read_csv(package_folder("river") / "datasets" / "segment.csv.zip")
    table = table.iloc[some_rows(len(table))]
    measured = table.drop(columns="category")
    place = [name for name in measured if name.startswith("region-centroid")]
    X = standardize(measured)
    return Samples(
        X, priors.features(standardize(measured[place])), table["category"].to_numpy(str)
    )


def weather_season(folder: Path | None) -> Samples:
    """Days in Seattle: the day of the year is known, the weather is hidden."""
    import pandas as pd

    table = pd.read_csv(package_folder("vega_datasets") / "_data" / "seattle-weather.csv")
    table = table.iloc[some_rows(len(table))]
    day = pd.to_datetime(table["date"]).dt.dayofyear.to_numpy(float)
    columns = [
        np.log1p(table["precipitation"]),
        table["temp_max"],
        table["temp_min"],
        table["wind"],
    ]
    X = standardize(np.column_stack(columns))
    return Samples(X, priors.cyclic(day, 365.25), table["weather"].to_numpy(str))


def gapminder(size: int = SIZE):
    """Read the table of countries and years, and what is measured of them."""
    import pandas as pd

    path = package_folder("plotly") / "package_data" / "datasets" / "gapminder.csv.gz"
    table = pd.read_csv(path).dropna()
    table = table.iloc[some_rows(len(table), size)]
    logs = np.log(table[["gdpPercap", "pop"]].to_numpy(float))
    return table, standardize(np.column_stack([table["lifeExp"], logs]))


def r_table(name: str):
    """Read one of R's tables out of pydataset's archive, which importing would unpack at home."""
    import pandas as pd

    with tarfile.open(package_folder("pydataset") / "resources.tar.gz") as archive:
        text = archive.extractfile(f"resources/rdata/csv/{name}.csv").read()
    return pd.read_csv(io.BytesIO(text), index_col=0)


RECIPES = (
    Recipe("penguins-species", "open", "species known → sex", penguins_species),
    Recipe("gapminder-year", "open", "year known → continent", gapminder_year),
    Recipe("gapminder-place", "open", "place known → period", gapminder_place),
    Recipe("breast-size", "open", "size known → malignant or not", breast_size),
    Recipe("diamonds-carat", "closed", "weight known → cut", diamonds_carat),
    Recipe("baseball-games", "open", "playing time known → era", baseball_games),
    Recipe("segments-place", "closed", "place in the picture known → what is seen", segments_place),
    Recipe("weather-season", "closed", "day of the year known → weather", weather_season),
)
