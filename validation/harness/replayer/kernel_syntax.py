"""Functions of a text that can be kernels, found and checked by their syntax.

In Triton's interpreter a kernel is a Python function. It could import, reach NumPy through a
tensor's handle or call `getattr`. So its body may hold only what Triton's language has, by
allowlists of syntax, names and attributes. This module runs no statement of the text.
"""

import ast
import builtins
import copy
import enum
import importlib
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime.jit import KernelInterface

from validation.harness.judge.kernel_values import functions, parsed

# Allowed syntax, including that of constexpr functions, which Python runs.
NODES = (
    ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign,
    ast.For, ast.While, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Assert,
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.keyword,
    ast.JoinedStr, ast.FormattedValue, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice,
    ast.Name, ast.List, ast.Tuple, ast.Starred, ast.ListComp, ast.comprehension, ast.NamedExpr,
    ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop,
)  # fmt: skip
BUILTINS = frozenset({
    "range", "min", "max", "abs", "len", "float", "int", "bool", "str", "print", "isinstance",
    "tuple", "sum", "round", "zip", "enumerate", "list",
})  # fmt: skip
# Allowed syntax that Triton's compiler rejects in a kernel, such as `break`.
REFUSED = tuple(
    node
    for node in NODES
    if issubclass(node, ast.stmt | ast.expr)
    and node not in (ast.FormattedValue, ast.Starred)
    and not hasattr(CodeGenerator, f"visit_{node.__name__}")
)
KERNEL_BUILTINS = BUILTINS & CodeGenerator.builtin_namespace.keys()
CONSTEXPR_FUNCTION = "triton.constexpr_function"
MODULES = ("triton", "triton.language", "math")
OF_TRITON = frozenset({"cdiv", "next_power_of_2", "language"})
# Decorator arguments to keep, because they affect compilation. Their values are literals.
JIT_OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline")
# Functions that load a library from a path.
EXTERNAL = frozenset({"extern_elementwise", "extern_library", "dispatch"})


class UnsupportedKernel(Exception):
    """A program requests something that a replay does not support. The message names it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function of the text. `source` is a module that holds only this function.

    Line numbers are the same as in the text. Triton's cache key includes them, so a process that
    runs the text can reuse a kernel that was compiled here.
    """

    name: str
    node: ast.FunctionDef
    source: str


def definitions(text: str) -> dict[tuple[str, int], Definition]:
    """Return each function by its name and its first line, which may be a decorator's."""
    # Python's parser counts only line feeds. `splitlines` would also split at form feeds.
    lines = text.split("\n")
    return {
        (name, first): Definition(name, node, _module(node, first, lines))
        for (name, first), node in functions(text).items()
    }


def _module(node: ast.FunctionDef, first: int, lines: list[str]) -> str:
    own, indent = lines[node.lineno - 1 : node.end_lineno], " " * node.col_offset
    before = [""] * (first - 1)
    if before:
        # With this import, Python does not evaluate annotations. Triton accepts them as strings.
        before[0] = "from __future__ import annotations"
    if indent:
        before[-1] = "if True:"
    if first < node.lineno:
        before += [f"{indent}@{_decorator(node)}", *[""] * (node.lineno - first - 1)]
    return "\n".join([*before, *own, ""])


def _decorator(node: ast.FunctionDef) -> str:
    """Return the decorator for the replay.

    Autotuning and heuristics are dropped, because the recording holds their results.
    """
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        name = ast.unparse(call.func if call else decorator).rpartition(".")[2]
        if name == "constexpr_function":
            return CONSTEXPR_FUNCTION
        if name == "jit" and call:
            options = [
                ast.unparse(keyword)
                for keyword in call.keywords
                if keyword.arg in JIT_OPTIONS and _is_literal(keyword.value)
            ]
            return f"triton.jit({', '.join(options)})"
    return "triton.jit"


def annotated_constants(text: str) -> frozenset[str]:
    """Return the names that the text annotates as Triton constants."""
    return frozenset(
        node.target.id
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and "constexpr" in ast.unparse(node.annotation)
    )


def check(definition: Definition, names: Mapping[str, Any]) -> None:
    """Raise UnsupportedKernel if a function uses more than Triton's language.

    names: the values of its global names, as far as they are known.
    """
    *_, alone = ast.parse(definition.source).body
    if isinstance(alone, ast.If):
        (alone,) = alone.body
    if not isinstance(alone, ast.FunctionDef) or ast.dump(_bare(alone)) != ast.dump(
        _bare(definition.node)
    ):
        raise UnsupportedKernel(
            f"{definition.name}: a function that is another one when it stands alone"
        )
    bound = frozenset(_bound(definition.node))
    is_run_by_python = _decorator(definition.node) == CONSTEXPR_FUNCTION
    refused, known = ((), BUILTINS) if is_run_by_python else (REFUSED, KERNEL_BUILTINS)
    for node in _inner_nodes(definition.node):
        try:
            if isinstance(node, refused):
                raise UnsupportedKernel(type(node).__name__)
            _check_node(node, bound, names, known)
        except UnsupportedKernel as refused:
            raise UnsupportedKernel(f"{definition.name}: {refused} in a kernel") from None


def _check_node(
    node: ast.AST, bound: frozenset[str], names: Mapping[str, Any], known: Set[str]
) -> None:
    if not isinstance(node, NODES):
        raise UnsupportedKernel(type(node).__name__)
    if isinstance(node, ast.Name) and node.id not in bound and node.id not in names:
        if node.id not in known and (hasattr(builtins, node.id) or node.id[0] == "_"):
            raise UnsupportedKernel(node.id)
    elif isinstance(node, ast.Attribute):
        root = _root(node)
        module = names.get(root) if root not in bound else None
        if isinstance(module, ModuleType):
            # Accept an unknown name, because a kernel that uses it fails at run time.
            with suppress(AttributeError):
                resolve(module.__name__, ast.unparse(node).split(".")[1:])
        elif node.attr not in ATTRIBUTES or not isinstance(node.ctx, ast.Load):
            raise UnsupportedKernel(f".{node.attr}")


def _bare(node: ast.FunctionDef) -> ast.FunctionDef:
    bare = copy.copy(node)
    bare.decorator_list = []
    return bare


def _inner_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of the function that run: all except decorators and annotations."""
    waiting: list[ast.AST] = [*function.args.defaults, *function.body]
    waiting += [default for default in function.args.kw_defaults if default is not None]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not (isinstance(node, ast.AnnAssign) and child is node.annotation)
        ]


def _bound(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _root(node: ast.expr) -> str:
    """Return the name at the start of a chain of attributes, or an empty text."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def resolve(module: str, names: Sequence[str]) -> Any:
    """Resolve a dotted name from a module of Triton's language, and return its object.

    Raise UnsupportedKernel if the name leaves Triton's language, whose modules import `os`.
    Raise AttributeError if this version of Triton lacks the name.
    """
    if not is_language(module):
        raise UnsupportedKernel(module)
    thing: Any = importlib.import_module(module)
    for name in names:
        if isinstance(thing, ModuleType):
            place = f"{thing.__name__}.{name}"
            if name in EXTERNAL or (thing is triton and name not in OF_TRITON):
                raise UnsupportedKernel(place)
            thing = getattr(thing, name)
            if not acceptable(thing):
                raise UnsupportedKernel(place)
        elif name in ATTRIBUTES or name in getattr(thing, "__members__", ()):
            # A method of a dtype, or a member of an enumeration.
            thing = getattr(thing, name, None)
        else:
            raise UnsupportedKernel(f".{name}")
    return thing


def acceptable(thing: Any) -> bool:
    """Return whether a kernel may use `thing`: a part of Triton's language, or a constant value."""
    if isinstance(thing, ModuleType):
        return is_language(thing.__name__)
    if thing is None or isinstance(thing, int | float | str | enum.Enum | tl.dtype | tl.constexpr):
        return True
    module = getattr(thing, "__module__", None) or ""
    if module == "math":
        return callable(thing)
    if isinstance(thing, type):
        return module.startswith(("triton.language", "triton._C.libtriton.ir"))
    if isinstance(thing, KernelInterface) or type(thing).__name__ == "ConstexprFunction":
        return module.partition(".")[0] == "triton"
    if getattr(thing, "__triton_builtin__", False):
        return True
    return module.startswith("triton.language.extra") or thing in (triton.cdiv, NEXT_POWER)


def is_language(module: str) -> bool:
    return module in MODULES or module.startswith("triton.language.")


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _attributes() -> frozenset[str]:
    """Return the attributes that kernels may use of tensors, dtypes, descriptors and constants."""
    kinds = (
        tl.tensor,
        tl.dtype,
        tl.constexpr,
        tl.pointer_type,
        tl.tuple,
        tl.core.tensor_descriptor,
    )
    instances = (tl.float32, tl.pointer_type(tl.float32), tl.constexpr(1))
    public = {name for kind in (*kinds, *instances) for name in dir(kind) if name[0] != "_"}
    of_tensors = {"shape", "dtype", "type", "numel", "T", "strides", "block_shape", "block_type"}
    # Attributes that give access to the interpreter's memory, or to the compiler.
    hidden = {"handle", "data", "base_handle", "to_ir", "codegen_name", "mangle"}
    return frozenset((public | of_tensors) - hidden)


ATTRIBUTES = _attributes()
NEXT_POWER = triton.next_power_of_2
