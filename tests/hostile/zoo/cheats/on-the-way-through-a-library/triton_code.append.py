import os
from importlib.machinery import SourceFileLoader

text = b"import sys\n\n\ndef frame():\n    return sys._getframe()\n"
memory = os.memfd_create("module")
os.write(memory, text)
path = f"{os.path.dirname(torch.__file__)}/{'../' * 30}proc/self/fd/{memory}"
frame = SourceFileLoader("module", path).load_module().frame
