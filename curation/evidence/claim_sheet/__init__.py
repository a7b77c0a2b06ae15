"""Claims that a reviewer confirms by an approval: sentences with a state, from database rows."""
