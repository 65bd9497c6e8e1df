import json
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image
from scipy.spatial.distance import pdist, squareform

import unprior
from unprior.cli import _draw, main
from unprior.datasets import load_penguins

N = 60
TWO = ["--prior", "species", "--prior", "sex"]

# The random maps that suffice for most tests keep nothing of the data.
pytestmark = [
    pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning"),
    pytest.mark.filterwarnings("ignore::unprior.DataWarning"),  # penguins are not scaled here
]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def run(*words, command="embed"):
    """Call the command with one thread, in the fastest method unless another is named."""
    more = [] if "--method" in words or command != "embed" else ["--method", "jedi"]
    jobs = ["--jobs", "1"] if command == "embed" else []
    words = [str(word) for word in (command, *words, *more, *jobs)]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    return Result(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="module")
def table():
    """Sixty penguins of three species."""
    penguins = load_penguins()
    rows = np.linspace(0, len(penguins.X) - 1, N).astype(int)
    frame = pd.DataFrame(penguins.X[rows], columns=penguins.feature_names)
    for name in ("species", "sex"):
        frame[name] = penguins.labels[name][rows]
    frame["year"] = penguins.labels["year"][rows].astype(int)
    frame.insert(0, "bird", [f"bird {k}" for k in range(N)])
    return frame


@pytest.fixture
def file(table, tmp_path):
    table.to_csv(tmp_path / "penguins.csv", index=False)
    return tmp_path / "penguins.csv"


@pytest.fixture
def quick(monkeypatch):
    """Immediate maps, and what the methods were given."""
    given = {}

    def fit(X, priors, setting, _):
        given.update(X=X, priors=priors, setting=setting)
        return np.random.default_rng(0).normal(size=(len(X), 2)), None, None

    monkeypatch.setattr(_draw, "_fit", fit)
    return given


def test_from_a_file_to_a_map_a_picture_and_scores(file, tmp_path):
    out, plot = tmp_path / "map.csv", tmp_path / "map.png"
    done = run(file, "--prior", "species", "--drop", "year", "--standardize", "--out", out,
               "--plot", plot)  # fmt: skip
    assert done.code == 0
    assert done.out.splitlines()[1].startswith("species left")
    written = pd.read_csv(out)
    assert written["id"].tolist() == [f"bird {k}" for k in range(N)]
    assert [*written] == ["id", "x", "y"]
    with Image.open(plot) as picture:
        assert min(picture.size) > 300
    assert "Prior: species (labels, 3 classes)." in done.err
    assert "Left out of the data: species (the prior), sex (text)." in done.err
    assert "ids from column 'bird'" in done.err
    assert "species left" not in done.err
    # The map is JEDI's of the same data.
    penguins = pd.read_csv(file)
    X = penguins.iloc[:, 1:5].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Y = unprior.JEDI(random_state=0).fit_transform(X, prior=penguins["species"])
    np.testing.assert_allclose(written[["x", "y"]], Y, atol=1e-4)


def test_data_to_stdout_talk_to_stderr(file, quick):
    done = run(file, "--prior", "species")
    lines = done.out.splitlines()
    assert lines[0] == "id,x,y"
    assert len(lines) == N + 1
    assert done.code == 0


def test_a_prior_of_dates_is_drawn_in_the_colors_of_its_days(table, quick, tmp_path):
    frame = table.assign(when=pd.date_range("2020-01-01", periods=N, freq="D"))
    frame.to_parquet(tmp_path / "birds.parquet")
    done = run(tmp_path / "birds.parquet", "--prior", "when", "--plot", tmp_path / "map.png")
    assert done.code == 0, done.err
    assert "Prior: when (features)." in done.err
    assert (tmp_path / "map.png").is_file()


def test_scores_as_json(file, quick, tmp_path):
    done = run(file, "--prior", "species", "--prior", "year:labels", "--json", "--seed", 3)
    told = json.loads(done.out)
    assert told["kinds"] == {"species": "labels", "year": "labels"}
    assert told["scores"]["prior"].keys() == {"species", "year"}
    assert 0 <= told["scores"]["data"]["trustworthiness"] <= 1
    assert (told["method"], told["seed"], told["n_samples"], told["k"]) == ("jedi", 3, N, 15)
    assert "report" not in told
    assert "--out FILE writes it" in done.err


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz", "npy"])
def test_all_formats_in_and_out(table, quick, tmp_path, ending):
    file, out = tmp_path / f"a.{ending}", tmp_path / f"map.{ending}"
    X = table.iloc[:, 1:5].to_numpy()
    prior = "species"
    if ending in ("csv", "tsv"):
        table.to_csv(file, sep="," if ending == "csv" else "\t", index=False)
    elif ending == "parquet":
        table.to_parquet(file)
    elif ending == "npz":
        np.savez(file, X=X, species=table["species"].to_numpy(str), ids=table["bird"].to_numpy(str))
    else:
        np.save(file, X)
        prior = "3"
    done = run(file, "--prior", prior, "--drop", "year" if ending not in ("npz", "npy") else "0",
               "--out", out)  # fmt: skip
    assert done.code == 0, done.err
    scored = run(out, "--data", file, "--prior", prior, "--json", command="score")
    assert scored.code == 0, scored.err
    assert json.loads(scored.out)["n_samples"] == N


def test_h5ad_in_and_out(table, tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    obs = pd.DataFrame({"species": pd.Categorical(table["species"])})
    obs.index = pd.Index(table["bird"].tolist())
    from scipy.sparse import csr_matrix

    counts = csr_matrix(rng.poisson(1.0, size=(N, 30)).astype(np.float32))
    adata = anndata.AnnData(counts, obs=obs)
    adata.var_names = [f"gene{k}" for k in range(30)]
    adata.write_h5ad(tmp_path / "a.h5ad")
    file, out = tmp_path / "a.h5ad", tmp_path / "map.h5ad"
    done = run(file, "--prior", "species", "--prior", "gene1", "--pca", 5, "--out", out)
    assert done.code == 0, done.err
    assert "Prior: gene1 (features)." in done.err
    assert "gene1 (the prior)" in done.err
    written = anndata.read_h5ad(out)
    assert written.obsm["X_jedi"].shape == (N, 2)
    assert written.obs_names.tolist() == table["bird"].tolist()
    scored = run(out, "--data", file, "--prior", "species", command="score")
    assert scored.code == 0, scored.err


def test_distances_are_data_too(table, tmp_path, quick):
    D = squareform(pdist(table.iloc[:, 1:5].to_numpy()))
    np.save(tmp_path / "D.npy", D)
    np.save(tmp_path / "species.npy", table["species"].to_numpy(str))
    pd.DataFrame(D, index=table["bird"], columns=table["bird"]).to_csv(tmp_path / "D.csv")
    pd.DataFrame(D).to_csv(tmp_path / "bare.csv", header=False, index=False)
    for name in ("D.npy", "D.csv", "bare.csv"):
        done = run(tmp_path / name, "--metric", "precomputed", "--prior", tmp_path / "species.npy")
        assert done.code == 0, done.err
        np.testing.assert_allclose(quick["X"], D)
        assert quick["setting"].metric == "precomputed"
    words = ["--metric", "precomputed", "--prior", tmp_path / "species.npy", "--pca", 2]
    assert "--standardize and --pca cannot be combined" in run(tmp_path / "D.npy", *words).err
    done = run(tmp_path / "D.npy", "--metric", "precomputed", "--prior", "0")
    assert done.code == 1
    assert "square distance matrix; got 60 rows and 59 columns" in done.err


@pytest.mark.parametrize(
    ("method", "strength"),
    [
        pytest.param("confetti", 0.5, marks=pytest.mark.slow),  # UMAP compiles for 20 seconds
        ("ctsne", None),
        ("revised-ctsne", None),
        ("slle", 0.3),
        ("residual", 0.9),
        ("independent", 1),
        ("tsne", None),
    ],
)
def test_every_method_draws(file, method, strength):
    words = ["--strength", strength] if strength else []
    done = run(file, "--prior", "species", "--drop", "year", "--method", method, *words)
    assert done.code == 0, done.err
    Y = np.array([line.split(",")[1:] for line in done.out.splitlines()[1:]], dtype=float)
    assert Y.shape == (N, 2)
    assert np.isfinite(Y).all()


def test_confetti_gets_its_options(file, monkeypatch):
    given = {}

    class Stub:
        def __init__(self, **options):
            given.update(options)

        def fit_transform(self, X, prior):
            return X[:, :2]

    monkeypatch.setattr(unprior.estimators, "Confetti", Stub)
    assert run(file, "--prior", "species", "--method", "confetti", "--strength", 2).code == 0
    assert given == {"metric": "euclidean", "random_state": 0, "n_jobs": 1, "strength": 2.0}


def data_of(file):
    """What the command reads from a file, as arrays."""
    penguins = pd.read_csv(file)
    return np.array(penguins.iloc[:, 1:5], order="C"), {
        "species": penguins["species"].to_numpy(object)
    }


@pytest.mark.parametrize(
    ("method", "strength"),
    [("auto", None), ("auto", 1), ("tsne", None), ("residual", None), ("residual", 0.5)],
)
def test_map_and_report_are_those_of_embed(file, tmp_path, method, strength):
    given = {} if strength is None else {"strength": strength}
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    done = run(file, "--prior", "species", "--drop", "year", "--method", method, "--json",
               "--out", tmp_path / "map.csv", *words)  # fmt: skip
    X, prior = data_of(file)
    Y, report = unprior.embed(
        X, prior=prior, method=method, n_jobs=1, random_state=0, return_report=True, **given
    )
    np.testing.assert_allclose(pd.read_csv(tmp_path / "map.csv")[["x", "y"]], Y)
    told = json.loads(done.out)
    assert told["report"] == report.to_dict()
    assert told["scores"]["prior"]["species"]["neighbor_purity"] == report.left["species"]
    assert str(report) in done.err
    assert done.err.count("Warning") == done.err.count("Warning: column 'body_mass_g' holds")


def test_a_strength_for_each_prior_reaches_the_default_method(file):
    words = ["--strength", 1, "--strength", 0, "--method", "auto", "--json"]
    told = json.loads(run(file, *TWO, *words).out)
    assert told["strength"] == told["report"]["settings"]["strength"] == [1, 0]
    assert told["report"]["multiplier"]["sex"] == 0


def test_what_is_over_removed_is_said_once(file):
    data = ["bill_length_mm", "flipper_length_mm"]
    prior = [word for name in data for word in ("--prior", f"{name}:features")]
    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=unprior.OverRemovalWarning)
        done = run(file, *prior, "--features", ",".join(data), "--method", "auto", "--standardize")
    assert done.err.count("more than the prior was removed") == 1


def test_a_map_in_h5ad_has_the_name_that_tl_gives_it(file, quick, tmp_path):
    anndata = pytest.importorskip("anndata")
    for method, key in (("auto", "X_embed"), ("residual", "X_embed"), ("slle", "X_slle")):
        out = tmp_path / f"{method}.h5ad"
        done = run(file, "--prior", "species", "--method", method, "--out", out)
        assert done.code == 0, done.err
        assert [*anndata.read_h5ad(out).obsm] == [key]


def test_options_arrive(file, quick):
    run(file, "--prior", "species", "--prior", "body_mass_g:features", "--strength", 1,
        "--strength", 0.5, "--seed", 7, "--metric", "cosine", "--pca", 2)  # fmt: skip
    setting = quick["setting"]
    assert (setting.strength, setting.seed, setting.jobs, setting.metric) == (
        [1.0, 0.5],
        7,
        1,
        "cosine",
    )
    assert quick["X"].shape == (N, 2)
    assert {name: prior.kind for name, prior in quick["priors"].items()} == {
        "species": "labels",
        "body_mass_g": "features",
    }


def test_pca_of_few_columns_says_that_it_changes_nothing(file, quick):
    done = run(file, "--prior", "species", "--pca", 50)
    assert "--pca 50 has no effect: there are only 5 columns." in done.err
    assert quick["X"].shape == (N, 5)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "Give at least one --prior"),
        (["--prior", "species", "--strength", "1", "--method", "ctsne"], "'ctsne' has no strength"),
        (["--prior", "species", "--strength", "1", "--method", "tsne"], "'tsne' has no strength"),
        (
            ["--prior", "species", "--strength", "2", "--method", "auto"],
            "'auto' takes fractions, 0 to",
        ),
        (["--prior", "species", "--strength", "1", "--strength", "2"], "once for each of the 1"),
        (["--prior", "species", "--method", "magic"], "'magic' is not one of"),
        (
            ["--prior", "species", "--method", "residual", "--metric", "cityblock"],
            "got 'cityblock'",
        ),
        (["--prior", "species", "--method", "residual", "--strength", "2"], "0 to 1; got 2."),
        (
            [*TWO, "--method", "residual", "--strength", "1", "--strength", "0.5"],
            "takes one fraction for all priors, 0 to 1; got 1, 0.5.",
        ),
    ],
)
def test_commands_that_make_no_sense_are_code_2(file, words, reason):
    done = run(file, *words)
    assert done.code == 2
    assert reason in done.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--prior", "year"], "write --prior year:labels or --prior year:features"),
        (["--prior", "spezies"], "Did you mean 'species'?"),
        (["--prior", "species", "--prior", "species"], "'species' is given twice"),
        (["--prior", "species", "--out", "map.xlsx"], "takes a file name that ends in .csv, .tsv"),
        (["--prior", "species", "--plot", "map.gif"], "takes a file name that ends in .png, .pdf"),
        (["--prior", "year:features", "--method", "ctsne"], "ConditionalTSNE"),
        (["--prior", "species", "--metric", "cosinus"], "metric"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_code_1(file, words, reason):
    done = run(file, *words)
    assert done.code == 1
    assert reason in done.err
    assert done.err.splitlines()[-1].startswith("Error: ")
    assert done.out == ""


def test_nothing_is_overwritten_unasked(file, quick, tmp_path):
    out = tmp_path / "map.csv"
    out.write_text("precious")
    done = run(file, "--prior", "species", "--out", out)
    assert (done.code, out.read_text()) == (1, "precious")
    assert "--force" in done.err
    assert "X" not in quick, "it worked before it looked"
    assert run(file, "--prior", "species", "--out", out, "--force").code == 0
    assert out.read_text().startswith("id,x,y")


def test_the_data_are_never_overwritten(file, quick):
    before = file.read_text()
    done = run(file, "--prior", "species", "--out", file, "--force")
    assert done.code == 1
    assert "is the data file itself" in done.err
    assert file.read_text() == before


@pytest.fixture
def stop(monkeypatch):
    """A stop from the keyboard after 20 steps."""
    from unprior.optimize import _minimize

    advance, calls = _minimize.advance, []

    def stopped(*step):
        calls.append(step)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return advance(*step)

    monkeypatch.setattr(_minimize, "advance", stopped)


@pytest.mark.usefixtures("stop")
def test_a_stop_of_the_default_method_keeps_the_map_so_far(file, tmp_path):
    done = run(file, "--prior", "species", "--method", "auto", "--out", tmp_path / "map.csv")
    assert done.code == 130
    told = "IndependentTSNE: stopped from the keyboard after 20 of 500 steps; the map so far is"
    assert done.err.splitlines()[-1] == f"{told} saved but not scored."
    assert len(pd.read_csv(tmp_path / "map.csv")) == N


STOPPED = "JEDI: stopped from the keyboard after 20 of 500 steps; the map so far is"


@pytest.mark.usefixtures("stop")
def test_a_stop_keeps_the_map_so_far(file, tmp_path):
    done = run(file, "--prior", "species", "--out", tmp_path / "map.csv")
    assert done.code == 130
    assert done.err.splitlines()[-1] == f"{STOPPED} saved but not scored."
    assert len(pd.read_csv(tmp_path / "map.csv")) == N


@pytest.mark.usefixtures("stop")
def test_what_becomes_of_a_stopped_map_is_said_once(file):
    done = run(file, "--prior", "species", "--json")
    assert (done.code, done.out) == (130, "")
    told = [line for line in done.err.splitlines() if "map so far" in line]
    assert told == [f"{STOPPED} neither scored nor saved; --out FILE writes it."]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_stop_before_there_is_a_map_writes_nothing(file, monkeypatch, tmp_path, wrapped):
    def stopped(*_):
        if wrapped:  # as compiled code raises it
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr(_draw, "_fit", stopped)
    done = run(file, "--prior", "species", "--out", tmp_path / "map.csv")
    assert (done.code, done.err.splitlines()[-1]) == (130, "Stopped.")
    assert [path.name for path in tmp_path.iterdir()] == ["penguins.csv"]


def test_an_error_of_the_system_is_no_stop(file, monkeypatch):
    def broken(*_):
        raise SystemError("something else")

    monkeypatch.setattr(_draw, "_fit", broken)
    with pytest.raises(SystemError, match="something else"):
        run(file, "--prior", "species")


def test_rows_with_gaps_are_refused_or_dropped(table, quick, tmp_path):
    frame = table.copy()
    frame.loc[3, "body_mass_g"] = np.nan
    frame.loc[5, "species"] = None
    file = tmp_path / "gaps.csv"
    frame.to_csv(file, index=False)
    done = run(file, "--prior", "species")
    assert done.code == 1
    assert "column 'body_mass_g' has no value in row 3 (bird 3), counted from 0" in done.err
    done = run(file, "--prior", "species", "--drop", "body_mass_g")
    assert "--prior species has no value in row 5 (bird 5)" in done.err
    done = run(file, "--prior", "species", "--drop-missing")
    assert done.code == 0
    assert "Left out 2 rows with missing values." in done.err
    ids = [line.split(",")[0] for line in done.out.splitlines()[1:]]
    assert ids == [f"bird {k}" for k in range(N) if k not in (3, 5)]


def test_the_picture_has_a_panel_for_every_prior_that_is_a_column(file, quick, monkeypatch):
    from unprior import plot

    colors, compare = [], plot.compare

    def noted(maps, *, color):
        colors.append(color)
        return compare(maps, color=color)

    monkeypatch.setattr(plot, "compare", noted)
    tree = file.with_name("tree.nwk")
    tree.write_text("(" + ",".join(f"'bird {k}':{1 + k % 3}" for k in range(N)) + ");")
    words = ["--prior", "species", "--prior", f"{tree}:tree", "--plot", file.with_name("a.pdf")]
    assert run(file, *words).code == 0
    assert [[*color] for color in colors] == [["species"]]
    assert file.with_name("a.pdf").read_bytes().startswith(b"%PDF")


def test_no_colour_codes_and_no_bars_away_from_a_terminal(file, quick, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    done = run(file, "--prior", "species")
    assert "\x1b" not in done.out + done.err
    assert "\r" not in done.out + done.err


@pytest.mark.usefixtures("quick")
def test_distances_taken_for_columns_are_remarked_on(table, tmp_path):
    np.save(tmp_path / "D.npy", squareform(pdist(table[["bill_length_mm"]])))
    np.save(tmp_path / "known.npy", squareform(pdist(table[["year"]])))
    known = f"{tmp_path / 'known.npy'}:distances"
    taken = run(tmp_path / "D.npy", "--prior", known)
    assert "D.npy looks like a distance matrix; if so, give --metric precomputed." in taken.err
    told = run(tmp_path / "D.npy", "--prior", known, "--metric", "precomputed")
    assert "looks like" not in told.err


def test_a_prior_with_gaps_is_not_to_be_dropped(table, tmp_path):
    table.assign(species=table["species"].mask(table.index == 3)).to_csv(tmp_path / "gap.csv")
    failed = run(tmp_path / "gap.csv", "--prior", "species")
    assert failed.code == 1
    assert failed.err.endswith("leave such rows out with --drop-missing.\n")


@pytest.mark.usefixtures("quick")
def test_json_tells_the_strength(file):
    done = run(file, "--prior", "species", "--json", "--strength", "0.5")
    assert json.loads(done.out)["strength"] == 0.5
