"""Ingest: reads repositories and stores their kernels. It never runs a repository's code."""
