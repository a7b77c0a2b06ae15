"""Repositories in, standalone kernels out. Scraped code is only ever read here, never run."""
