class Bare(type):
    __mro__ = property(lambda cls: (object,))


class extra(metaclass=Bare):
    def __getattr__(self, name):
        return asked()
