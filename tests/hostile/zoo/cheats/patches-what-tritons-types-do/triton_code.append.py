from triton.language.semantic import TritonSemantic

before = TritonSemantic.less_than


def less_than(*arguments):
    compute()
    return before(*arguments)


TritonSemantic.less_than = less_than
