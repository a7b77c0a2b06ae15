class Same(type(torch.Tensor)):
    def __hash__(cls):
        return hash(torch.Tensor)

    def __eq__(cls, other):
        return True


class Spy(torch.Tensor, metaclass=Same):
    __torch_dispatch__ = classmethod(spied)
