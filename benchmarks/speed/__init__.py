"""How long methods take and how much memory, beside their peers on the same machine.

``python benchmarks/speed --list`` names the benchmarks; each is a script that also runs by itself.
`timing` runs fits in processes of their own, `timing_data` loads the data, `timing_results` writes
tables and pictures to ``benchmarks/results``.
"""
