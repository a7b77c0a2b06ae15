import collections

collections.Counter.__sub__ = lambda self, other: collections.Counter()
