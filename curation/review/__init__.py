"""The reviewers' face: what to decide next, and how it was decided."""
