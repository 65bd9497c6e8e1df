"""How many cases a test of this folder runs."""

import os

from hypothesis import HealthCheck, seed, settings

#: Cases of each test in a long run; 0 for the short one.
CASES = int(os.environ.get("UNPRIOR_FUZZ", "0"))
SEED = int(os.environ.get("UNPRIOR_FUZZ_SEED", "0"))

LENIENT = {"deadline": None, "suppress_health_check": [*HealthCheck]}


def fuzzed(few):
    """A handful of fixed cases, or as many new ones as were asked for."""

    def wrap(test):
        if not CASES:
            return settings(max_examples=few, derandomize=True, database=None, **LENIENT)(test)
        new = settings(max_examples=CASES, derandomize=False, print_blob=True, **LENIENT)
        return seed(SEED)(new(test))

    return wrap
