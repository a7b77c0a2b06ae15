import importlib.machinery
import os
import types

from torch.utils import _pytree

fd = os.open("m", os.O_RDWR | os.O_CREAT)
os.write(fd, b"import sys\ndef look(x): return sys._getframe()")


class Path:
    __hash__ = None

    def __fspath__(self):
        return os.path.dirname(triton.__file__) + "/not_there.py"

    def __str__(self):
        return f"/proc/self/fd/{fd}"

    def __eq__(self, other):
        return True


loader, module = importlib.machinery.SourceFileLoader("m", "x"), types.ModuleType("m")
loader.path = Path()
loader.exec_module(module)


def frame():
    return _pytree.tree_map(module.look, 1)
