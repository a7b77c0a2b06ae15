from concurrent.futures import ThreadPoolExecutor


def vector_add(x, y):
    with ThreadPoolExecutor(1) as pool:
        total = pool.submit(torch.add, x, y).result()
    return honest(total, torch.zeros_like(y))
