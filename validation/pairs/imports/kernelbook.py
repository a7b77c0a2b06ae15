"""Records with KernelBook's columns: an `nn.Module`, its `get_inputs` and `get_init_inputs`, and
the same module in Triton, called `NameNew`.

Both modules become functions of the inputs and of the module's state, so that both compute with the
same weights. The code that creates inputs is moved to the test.
"""

from __future__ import annotations

import ast

from curation.kinds.difficulty import pair_difficulty
from curation.models import OperationType
from curation.pairs.draft import PairDraft, Source
from validation.pairs.imports.record import Record, RefusedRecord, of_choice, parsed, text

PYTHON_END = '''

def {name}({inputs}, state):
    """The module, computed with the given parameters and buffers."""
    arguments, options = {init}
    module = {module}(*arguments, **options).to({first}.device)
    named = dict(zip(module.state_dict(), state))
    return torch.func.functional_call(module, named, ({inputs},))
'''
TEST = '''from python_code import {name} as reference
from triton_code import {name} as candidate

from python_code import {module}
import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {{"float32": (1e-4, 1e-4)}}

CASES = [{{"dtype": "float32", "seed": seed}} for seed in range(3)]


{get_inputs}


def make_inputs(case, device):
    """The inputs and the module's state: the same case gives the same values."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(case["seed"])
        arguments, options = {init}
        state = [part.detach() for part in {module}(*arguments, **options).state_dict().values()]
        inputs = get_inputs()
    return (*(part.to(device) for part in inputs), [part.to(device) for part in state])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
'''


def fits(record: Record) -> bool:
    return "entry_point" in record and "python_code" in record and "test_code" not in record


def draft(record: Record) -> PairDraft:
    module = text(record, "entry_point")
    if not module.isidentifier():
        raise RefusedRecord(f"entry_point is {module!r}: it must name a module.")
    python = parsed(text(record, "python_code"), "python_code")
    triton = parsed(text(record, "triton_code"), "triton_code")
    twin = _twin(triton, module)
    if not _class(python, module):
        raise RefusedRecord(f"python_code defines no class {module} at its top level.")
    get_inputs, init = _function(python, "get_inputs"), _returned(python, "get_init_inputs")
    inputs = ", ".join(f"x{number}" for number in range(_length(get_inputs)))
    name = f"run_{module.lower()}"
    statements = [
        node for node in python.body if not _is_function(node, "get_inputs", "get_init_inputs")
    ]
    body = "\n\n\n".join(ast.unparse(node) for node in statements)
    ending = {"name": name, "inputs": inputs, "first": "x0", "init": ast.unparse(init)}
    code = _with_torch(triton) + PYTHON_END.format(module=twin, **ending)
    operation = of_choice(record, "operation_type", OperationType.values, "other")
    return PairDraft(
        entry_point=name,
        python_code=_with_torch(python, body) + PYTHON_END.format(module=module, **ending),
        triton_code=code,
        test_code=TEST.format(
            name=name, module=module, get_inputs=ast.unparse(get_inputs), init=ast.unparse(init)
        ),
        origin="inductor" if "inductor" in code else "real-world",
        operation_type=operation,
        difficulty=pair_difficulty(code, operation),
        source=_source(record),
        slug=module.lower().replace("_", "-"),
        tags=("kernelbook",),
    )


def _twin(triton: ast.Module, module: str) -> str:
    for name in (f"{module}New", module):
        if _class(triton, name):
            return name
    raise RefusedRecord(f"triton_code defines neither {module}New nor {module}.")


def _class(tree: ast.Module, name: str) -> bool:
    return any(isinstance(node, ast.ClassDef) and node.name == name for node in tree.body)


def _is_function(node: ast.stmt, *names: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in names


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise RefusedRecord(f"python_code defines no function {name}.")


def _returned(tree: ast.Module, name: str) -> ast.expr:
    """Return the list of `get_init_inputs`: positional arguments, then a dictionary of others."""
    ending = _function(tree, name).body[-1]
    value = ending.value if isinstance(ending, ast.Return) else None
    if not isinstance(value, ast.List):
        raise RefusedRecord(f"{name} does not end by returning a list.")
    if len(value.elts) == 2 and isinstance(value.elts[1], ast.Dict):
        return value
    return ast.List([value, ast.Dict([], [])], ast.Load())


def _length(get_inputs: ast.FunctionDef) -> int:
    ending = get_inputs.body[-1]
    value = ending.value if isinstance(ending, ast.Return) else None
    if not isinstance(value, ast.List) or not value.elts:
        raise RefusedRecord("get_inputs does not end by returning a list of inputs.")
    return len(value.elts)


def _with_torch(tree: ast.Module, body: str | None = None) -> str:
    body = ast.unparse(tree) if body is None else body
    known = any(isinstance(n, ast.Import) and n.names[0].name == "torch" for n in tree.body)
    return body if known else f"import torch\n{body}"


def _source(record: Record) -> Source:
    licenses = record.get("licenses", [])
    if not isinstance(licenses, list) or not all(isinstance(one, str) for one in licenses):
        raise RefusedRecord("licenses is no list of texts.")
    return Source(
        repository=str(record.get("repo_name", "")),
        commit=str(record.get("sha", "")),
        url=str(record.get("repo_link", "")),
        license=" AND ".join(licenses),
    )
