"""Model files: fitted estimators as arrays and JSON, without pickle."""
