lib = torch.library.Library("aten", "IMPL")


def new_empty(self, size, dtype=None, layout=None, device=None, pin_memory=None):
    compute()
    return torch.empty(size, dtype=dtype or self.dtype, device=device or self.device)


lib.impl("new_empty", new_empty, "CPU")
