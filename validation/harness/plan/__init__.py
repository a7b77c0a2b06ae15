"""Selection of the inputs on which an entry is tried, and of the trials that are judged."""
