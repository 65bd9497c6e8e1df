"""A fitted estimator <-> a file of arrays and JSON, without a pickle."""
