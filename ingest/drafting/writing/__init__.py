"""Writing of a draft's three texts, and of its names and comments."""
