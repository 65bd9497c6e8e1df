"""Compiled loops: arrays in, arrays out. Import the modules, which load numba, only when used."""
