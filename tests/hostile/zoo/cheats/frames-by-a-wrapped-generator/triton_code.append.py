import types


def looks():
    yield types._GeneratorWrapper(generators[0]).gi_frame.f_back


generators = []


def frame():
    generators[:] = [looks()]
    return next(generators[0])
