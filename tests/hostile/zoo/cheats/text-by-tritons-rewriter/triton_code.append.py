import ast

from torch.utils import _pytree
from triton.runtime import interpreter


def one():
    pass


rewriter = interpreter.FunctionRewriter(one)
rewriter.filename = triton.__file__
look = rewriter._compile_and_exec(ast.parse("import sys\ndef one(x): return sys._getframe()"))


def frame():
    return _pytree.tree_map(look, 1)
