def triple_then_add(x, y):
    return 3 * x + y
