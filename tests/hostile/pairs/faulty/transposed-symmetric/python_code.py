def matvec(a, x):
    return a @ x
