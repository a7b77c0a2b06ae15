"""Protection of the site beyond Django's own."""
