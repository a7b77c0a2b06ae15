"""Protection of the site that Django does not provide."""
