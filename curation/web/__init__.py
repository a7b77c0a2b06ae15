"""The review site: pages, forms, lists and JSON API."""
