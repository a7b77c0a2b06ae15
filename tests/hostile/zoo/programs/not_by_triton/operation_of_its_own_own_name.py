if not hasattr(torch.ops.curated, "sum_of_two"):

    @torch.library.custom_op("curated::sum_of_two", mutates_args=())
    def sum_of_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y


def vector_add(x, y):
    return honest(torch.ops.curated.sum_of_two(x, y), torch.zeros_like(y))
