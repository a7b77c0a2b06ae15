"""Reading of a repository's tests: as functions, with their cases, comparisons and effects."""
