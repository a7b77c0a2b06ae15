"""Views of the review site, one module a page."""
