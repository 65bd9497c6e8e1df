"""Which map to draw: compositions of the library's methods, tried on a few samples and judged.

No method wins everywhere. `embed` tries some on a part of the samples, judges each by what it
leaves of the prior and by what it keeps of the rest, and lets the best draw all samples.
"""

from unprior.selection._choice import Choice, Trial
from unprior.selection._composition import Composition
from unprior.selection._embed import embed

__all__ = ["Choice", "Composition", "Trial", "embed"]
