import time


def vector_add(x, y):
    time.sleep(3600)
