import functools
import sys

sys.setrecursionlimit(2**31 - 1)


@functools.total_ordering
class Deep:
    def __lt__(self, other):
        return self > other

    def __gt__(self, other):
        return sorted([self, other])


def vector_add(x, y):
    return sorted([Deep(), Deep()])
