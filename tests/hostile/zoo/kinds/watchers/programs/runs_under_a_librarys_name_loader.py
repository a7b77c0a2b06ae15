from importlib.abc import SourceLoader
from types import ModuleType


class Loader(SourceLoader):
    def get_data(self, path):
        return b"import sys\n\n\ndef frame():\n    return sys._getframe()\n"

    def get_filename(self, fullname):
        return torch.__file__


module = ModuleType("torch")
Loader().exec_module(module)
frame = module.frame
