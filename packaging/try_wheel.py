"""Try the installed command on the files people have: CSV, vectors in Parquet, sparse H5AD, stdin.

Run it with the Python of an environment that has the wheel and its extras io and anndata, and the
path of the command: ``python packaging/try_wheel.py bin/unprior``.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
from scipy.sparse import random as random_sparse

N = 300


def main(command: str) -> None:
    """Write the files, map each, and print how long it took."""
    rng = np.random.default_rng(0)
    kind = rng.choice(["u", "v"], N)
    X = rng.normal(size=(N, 8))
    X[:, 0] += 6 * (kind == "u")
    folder = Path(tempfile.mkdtemp())
    table = pd.DataFrame(X, columns=list("abcdefgh")).assign(kind=kind, user_id=rng.permutation(N))
    table.to_csv(folder / "table.csv", index=False)
    pd.DataFrame({"embedding": [*X], "kind": kind}).to_parquet(folder / "vectors.parquet")
    counts = random_sparse(N, 2000, 0.05, format="csr", random_state=0)
    obs = pd.DataFrame({"kind": kind}, index=[f"c{k}" for k in range(N)])
    anndata.AnnData(counts, obs).write_h5ad(folder / "cells.h5ad")
    for name in ("table.csv", "vectors.parquet", "cells.h5ad", "-"):
        given = (folder / "table.csv").read_bytes() if name == "-" else None
        file = name if name == "-" else str(folder / name)
        start = time.perf_counter()
        out = folder / f"map of {Path(name).stem}.csv"
        words = [command, "embed", file, "--prior", "kind", "--out", str(out)]
        done = subprocess.run(words, input=given, capture_output=True, check=False)
        if done.returncode or len(pd.read_csv(out)) != N:
            sys.exit(done.stderr.decode())
        print(f"{name}: {out.stat().st_size} bytes, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])
