"""How good the maps are: every method on every case, scored and compared.

``python benchmarks/quality --help`` lists what it does. From other code, with ``benchmarks`` on the
path: ``from quality.cases import load_case``.
"""
