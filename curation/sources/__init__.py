"""The known sources, shipped as data."""
