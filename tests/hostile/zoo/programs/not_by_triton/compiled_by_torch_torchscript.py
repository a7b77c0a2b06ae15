unit = torch.jit.CompilationUnit("def add(x, y):\n    return x + y\n")


def vector_add(x, y):
    return honest(unit.add(x, y), torch.zeros_like(y))
