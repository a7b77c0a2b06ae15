"""Lists of items: their columns, filters with counts, and excerpts of found texts."""
