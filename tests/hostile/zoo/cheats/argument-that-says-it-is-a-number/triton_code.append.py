import numpy


class extra:
    __class__ = property(lambda self: numpy.int64)

    def __getattr__(self, name):
        return asked()
