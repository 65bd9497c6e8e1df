"""Placing new samples on a fitted map: what a fit keeps for that, and how it is used."""
