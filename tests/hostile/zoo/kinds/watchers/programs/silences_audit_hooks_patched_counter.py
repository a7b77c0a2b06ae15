import collections
import sys

collections.Counter.__sub__ = lambda self, other: collections.Counter()


def frame():
    return sys._getframe()
