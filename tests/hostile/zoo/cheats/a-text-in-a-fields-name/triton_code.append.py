from dataclasses import dataclass

found = []


@dataclass(init=False, repr=False)
class Pair:
    __annotations__ = {"__class__,found.append(sys._getframe())": int}


def frame():
    Pair() == Pair()
    return found.pop()
