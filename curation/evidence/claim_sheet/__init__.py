"""The claims that an approval signs: sentences with a state, made from database rows."""
