"""Curation: models, review, search, queue and export of kernels and pairs."""

__version__ = "0.1.0"
