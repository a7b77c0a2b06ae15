"""Reading of a repository's tests: plain functions, their cases, comparisons and effects."""
