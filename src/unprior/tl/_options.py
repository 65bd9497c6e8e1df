"""Options that scanpy's tools take and these do not → one sentence on what to do instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: scanpy's option -> why it is not taken, and what to do.
NOT_TAKEN = {
    "neighbors_key": "neighbours are found anew, with the prior factored out; name the data with "
    "use_rep, and hand scanpy the graph of tl.confetti as neighbors_key",
    "use_raw": "data and genes of adata.raw go by the name: give use_rep='raw'",
    "obsp": "graphs are found anew; name the data with use_rep",
    "adjacency": "graphs are found anew; name the data with use_rep",
    "return_report": "read the report in adata.uns, where it always is",
    "inplace": "results are written to adata; give copy=True to leave it as it is",
    "n_comps": "data are not reduced here; run sc.pp.pca(adata, n_comps=...), or give n_pcs",
    "groupby": "what is known is the prior; give it as prior",
    "color": "colours are for up.pl.embedding(adata, color=...)",
}


def refuse_options(who: str, options: Mapping[str, Any]) -> None:
    """Refuse options of scanpy that mean nothing here."""
    for name, why in NOT_TAKEN.items():
        if name in options:
            message = f"{who}: {name!r} is no option here ({why})."
            raise TypeError(message)
