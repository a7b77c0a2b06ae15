class Kernel:
    def __getitem__(self, grid):
        return lambda x, y, out, *sizes, **options: torch.add(x, y, out=out)


add_kernel = Kernel()
