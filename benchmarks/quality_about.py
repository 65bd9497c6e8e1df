"""Names of methods → what they are, in the order of the tables.

Apart from the methods themselves, since words change no map.
"""

#: What each method is, for the reader of the tables.
ABOUT = {
    "tsne": "t-SNE, perplexity 30; knows of no prior",
    "umap": "UMAP; knows of no prior",
    "jedi-paper": "JEDI, the paper's perplexities n/5 and n/10",
    "jedi": "JEDI, perplexity 30",
    "linear-tsne": "Residual (linear), then t-SNE",
    "linear-jedi": "Residual (linear), then JEDI, perplexity 30",
    "smooth-jedi": "Residual (smooth), then JEDI, perplexity 30",
    "aligned-jedi": "Residual (aligned), then JEDI, perplexity 30",
    "confetti-0.5-tsne": "CONFETTI, λ = 0.5, with t-SNE",
    "confetti-1-tsne": "CONFETTI, λ = 1, with t-SNE",
    "confetti-2-tsne": "CONFETTI, λ = 2, with t-SNE",
    "confetti-1-umap": "CONFETTI, λ = 1, with UMAP",
    "quantile-tsne": "CONFETTI with the conditional (quantile) operator and t-SNE",
    "balanced-tsne": "CONFETTI with the balanced operator and t-SNE",
    "balanced-umap": "CONFETTI with the balanced operator and UMAP: its defaults",
    "ct-sne": "conditional t-SNE; labels only",
    "revised-ct-sne": "revised conditional t-SNE; labels only",
    "inverse-slle": "inverse supervised LLE; labels only",
    "harmony-tsne": "Harmony, then t-SNE; labels and features only",
    "steered": "what `embed` tries first, on every case: the data beside their aligned residual, "
    "then JEDI at the strength that leaves nothing of the prior; has no name of its own",
    "embed": "`unprior.embed`, the library's own choice",
}
