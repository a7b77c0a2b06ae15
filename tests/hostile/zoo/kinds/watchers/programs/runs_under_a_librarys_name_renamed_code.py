import sys
from types import FunctionType


def asking():
    return sys._getframe()


frame = FunctionType(asking.__code__.replace(co_filename=torch.__file__), globals())
