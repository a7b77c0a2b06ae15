"""The claims that an approval signs: from rows, to sentences with a state each."""
