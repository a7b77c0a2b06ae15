def vector_add(x, y):
    while True:
        pass
