"""New samples into a fitted map: what is kept of a fit, and where others are placed by it."""
