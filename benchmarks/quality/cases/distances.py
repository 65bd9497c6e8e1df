"""Genomes, molecules, networks and sensors: a tree, a size or a graph is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality.case import Recipe, Samples, package_folder, principal, some_rows, standardize
from unprior import priors

#: Groups of atoms by which molecules are told apart; those with none or several are left out.
GROUPS = {
    "acid": "C(=O)[OX2H1]",
    "nitro": "[$([NX3](=O)=O),$([NX3+](=O)[O-])]",
    "sulfur": "[#16]",
    "halogen": "[F,Cl,Br,I]",
    "amine": "[NX3;H2;!$(NC=O)]",
}


def genomes_tree(folder: Path | None) -> Samples:
    """Genomes that grew apart along a known tree; five mobile elements are strewn over it."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist, squareform

    rng = np.random.default_rng(501)
    n, n_bases = 600, 400
    descent = linkage(rng.normal(size=(n, 3)), "average")
    genomes = _evolve(descent, n, n_bases, rate=0.25, rng=rng)
    element = rng.integers(5, size=n)
    carried = _mutate(rng.integers(4, size=(5, 120))[element], 0.1, rng)
    D = squareform(pdist(np.hstack([genomes, carried]), "hamming"))
    return Samples(D, priors.tree(descent), element, metric="precomputed")


def genes_gc(folder: Path | None) -> Samples:
    """Genes of ten protein families in organisms whose share of G and C is known."""
    package_folder("Bio")
    from Bio.Data.CodonTable import standard_dna_table

    rng = np.random.default_rng(502)
    codons: dict[str, list[str]] = {}
    for codon, amino_acid in standard_dna_table.forward_table.items():
        codons.setdefault(amino_acid, []).append(codon)
    letters = sorted(codons)
    usage = rng.dirichlet(np.full(len(letters), 3.0), size=10)
    family, gc = rng.integers(10, size=900), rng.uniform(0.2, 0.8, 900)
    X = [
        _gene(rng.choice(letters, 300, p=usage[f]), codons, share, rng)
        for f, share in zip(family, gc, strict=True)
    ]
    return Samples(principal(np.sqrt(X), 20), priors.features(gc), family)


def molecules_size(folder: Path | None) -> Samples:
    """Molecules by shared fragments: their size is known, their active group is hidden."""
    path = package_folder("rdkit") / "Data" / "NCI" / "first_5K.smi"
    from rdkit import Chem, RDLogger
    from rdkit.Chem import rdFingerprintGenerator

    RDLogger.DisableLog("rdApp.*")
    patterns = {name: Chem.MolFromSmarts(smarts) for name, smarts in GROUPS.items()}
    known = []
    for line in path.read_text().splitlines():
        molecule = Chem.MolFromSmiles(line.split()[0])
        if molecule is not None and molecule.GetNumHeavyAtoms() >= 6:
            found = [name for name, p in patterns.items() if molecule.HasSubstructMatch(p)]
            if len(found) == 1:
                known.append((molecule, found[0]))
    molecules, groups = zip(*(known[row] for row in some_rows(len(known))), strict=True)
    prints = rdFingerprintGenerator.GetRDKitFPGenerator(maxPath=5)
    bits = np.array([prints.GetFingerprintAsNumPy(m) for m in molecules], dtype=float)
    size = priors.features(np.log([m.GetNumHeavyAtoms() for m in molecules]))
    return Samples(_jaccard(bits), size, np.array(groups), metric="precomputed")


def network_place(folder: Path | None) -> Samples:
    """People who know each other by living close or by sharing a trade: homes are known."""
    from scipy.spatial.distance import pdist, squareform

    rng = np.random.default_rng(503)
    n = 800
    home, trade = rng.random((n, 2)), rng.integers(6, size=n)
    gaps = squareform(pdist(home))
    chance = 0.5 * np.exp(-((gaps / 0.08) ** 2)) + 0.06 * (trade[:, None] == trade) + 0.002
    linked = np.triu(rng.random((n, n)) < chance, 1)
    return Samples(_commute(linked | linked.T), priors.features(home), trade, metric="precomputed")


def sensors_graph(folder: Path | None) -> Samples:
    """Sensors along the streets of a town: readings drift along the streets, makes differ."""
    package_folder("networkx")
    import networkx as nx

    rng = np.random.default_rng(504)
    town = nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 12))
    streets = [edge for edge in town.edges if rng.random() < 0.35]
    town.remove_edges_from(streets)
    town = nx.convert_node_labels_to_integers(
        town.subgraph(max(nx.connected_components(town), key=len))
    )
    waves = np.linalg.eigh(nx.laplacian_matrix(town).toarray().astype(float))[1][:, 1:13]
    node, make = rng.integers(len(town), size=1000), rng.integers(5, size=1000)
    field = standardize(waves)[node] @ rng.normal(size=(12, 20))
    X = field + 2.2 * rng.normal(size=(5, 20))[make] + 0.7 * rng.normal(size=(1000, 20))
    return Samples(X, priors.graph(nx.to_scipy_sparse_array(town, dtype=float), nodes=node), make)


def _evolve(
    descent: np.ndarray, n: int, n_bases: int, rate: float, rng: np.random.Generator
) -> np.ndarray:
    """Send a genome down a tree from its root; longer branches change more of it."""
    nodes = np.empty((2 * n - 1, n_bases), dtype=int)
    nodes[-1] = rng.integers(4, size=n_bases)
    heights = np.concatenate([np.zeros(n), descent[:, 2]]) / descent[-1, 2]
    for parent in range(2 * n - 2, n - 1, -1):
        for child in descent[parent - n, :2].astype(int):
            share = 1 - np.exp(-rate * 4 * (heights[parent] - heights[child]))
            nodes[child] = _mutate(nodes[parent], share, rng)
    return nodes[:n]


def _mutate(genomes: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(genomes.shape) < share, rng.integers(4, size=genomes.shape), genomes)


def _gene(
    protein: np.ndarray, codons: dict[str, list[str]], gc: float, rng: np.random.Generator
) -> np.ndarray:
    """Write a protein in codons that suit the organism, and count the codons."""
    order = sorted(codon for several in codons.values() for codon in several)
    counts = dict.fromkeys(order, 0)
    for amino_acid, times in zip(*np.unique(protein, return_counts=True), strict=True):
        several = codons[amino_acid]
        rich = np.array([sum(base in "GC" for base in codon) for codon in several])
        weights = (gc / (1 - gc)) ** rich
        for codon in rng.choice(several, times, p=weights / weights.sum()):
            counts[codon] += 1
    return np.array([counts[codon] for codon in order]) / len(protein)


def _jaccard(bits: np.ndarray) -> np.ndarray:
    """One minus the share of fragments in common."""
    common, total = bits @ bits.T, bits.sum(axis=1)
    D = 1 - common / (total[:, None] + total - common)
    np.fill_diagonal(D, 0)
    return D


def _commute(linked: np.ndarray) -> np.ndarray:
    """Distances between nodes by their leading random-walk coordinates."""
    from scipy.spatial.distance import pdist, squareform

    degree = linked.sum(axis=1) + 1.0
    walk = (linked + np.eye(len(linked))) / np.sqrt(degree[:, None] * degree)
    values, axes = np.linalg.eigh(walk)
    coordinates = axes[:, -31:-1] * values[-31:-1] / np.sqrt(degree)[:, None]
    return squareform(pdist(coordinates))


RECIPES = (
    Recipe("genomes-tree", "open", "tree of descent known → mobile element", genomes_tree),
    Recipe("genes-gc", "closed", "share of G and C known → protein family", genes_gc),
    Recipe("molecules-size", "closed", "size known → functional group", molecules_size),
    Recipe("network-place", "closed", "home known → trade", network_place),
    Recipe("sensors-graph", "open", "place in the streets known → make", sensors_graph),
)
