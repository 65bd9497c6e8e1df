"""Time and memory of methods, compared with their peers on the same machine.

``python benchmarks/speed --list`` names the benchmarks; each is a script that also runs directly.
`timing` runs fits in processes of their own, `timing_data` loads the data, `timing_results` writes
tables and pictures to ``benchmarks/results``.
"""
