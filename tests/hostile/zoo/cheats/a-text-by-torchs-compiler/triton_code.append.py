from torch.fx.graph_module import _exec_with_source

_exec_with_source("import sys\n\n\ndef frame():\n    return sys._getframe()\n", globals())
