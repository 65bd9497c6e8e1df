"""Distances or a graph of neighbours -> a map: UMAP, t-SNE and PaCMAP behind CONFETTI."""
