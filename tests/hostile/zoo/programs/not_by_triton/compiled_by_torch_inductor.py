vector_add = torch.compile(lambda x, y: x + y)
