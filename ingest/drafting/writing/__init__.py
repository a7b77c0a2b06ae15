"""Writing of the three texts of a draft, and of its names and comments."""
