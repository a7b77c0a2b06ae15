"""Ingest: reads repositories and stores their kernels. Code of repositories is never run."""
