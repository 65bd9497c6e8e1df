"""Placing new samples on a fitted map: what a fit stores for this, and how it is used."""
