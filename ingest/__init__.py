"""Repositories in, standalone kernels out. Scraped code is only read here, never run."""
