"""Protection of the site that Django does not have."""
