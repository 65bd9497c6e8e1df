"""Data larger than memory: arrays on disk and Dask arrays -> their rows on demand."""
