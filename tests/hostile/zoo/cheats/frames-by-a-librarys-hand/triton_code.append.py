from torch.utils._pytree import tree_map


def frame():
    return tree_map(sys._getframe, 0)
