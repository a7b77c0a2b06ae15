"""Known sources, shipped as data."""
