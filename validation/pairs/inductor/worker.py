"""Program in Inductor's sandbox: generates code for functions, and splits models into functions.

Numbers in a case of a test become constants of the compiled code. So the returned cases are the
pair's cases, changed to have these constants.
"""

import itertools
import json
import os
import platform
import sys
import tempfile
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._inductor.decomposition import select_decomp_table

from validation.harness.worker.question import roles
from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.lower import lower
from validation.pairs.inductor.whole.parts import split

Case = dict[str, Any]
LEAST_CASES = 3


def answer(request: dict[str, Any]) -> dict[str, Any]:
    # Otherwise Inductor asks for the user's name, which does not exist in the sandbox.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "inductor")
    return split(request) if "kind" in request else traced(request)


def up(_: Mapping[str, Any]) -> dict[str, str]:
    torch.set_num_threads(1)
    # Do slow initialization once, before the first child process is forked.
    select_decomp_table()
    return {"torch": torch.__version__, "python": platform.python_version()}


def traced(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data for a pair, or the `reason` why there is none."""
    try:
        return _traced(request)
    except Unwritable as why:
        return {"reason": str(why)}
    except Exception as error:  # noqa: BLE001 - the pair's code and the compiler may raise anything
        return {"reason": f"Inductor raises {type(error).__name__}", "said": str(error)[:2000]}


def _traced(request: Mapping[str, Any]) -> dict[str, Any]:
    reference = getattr(_module("python_code", request["python_code"]), request["entry_point"])
    # The test imports the candidate, which does not exist yet. It gets the reference instead.
    sys.modules["triton_code"] = sys.modules["python_code"]
    test = _module("test_code", request["test_code"])
    case = largest(test.CASES, request["dtype"])
    inputs = test.make_inputs(case, "cpu")
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    if not tensors:
        raise Unwritable("it takes no tensor")
    if any(tensor.requires_grad for tensor in tensors) or "backward(" in request["test_code"]:
        raise Unwritable("its inputs ask for gradients")
    outputs: list[Any] = []

    def function(*given: torch.Tensor) -> Any:
        rest = iter(given)
        arguments = [next(rest) if isinstance(one, torch.Tensor) else one for one in inputs]
        outputs[:] = [reference(*arguments)]
        return outputs[0]

    module = lower(function, tensors)
    cases = list(_alike(test, case, inputs))
    if len(cases) < LEAST_CASES:
        raise Unwritable("too few of its cases are alike in type and numbers")
    return {
        "module": module,
        "single": isinstance(outputs[0], torch.Tensor),
        "numbers": {
            place: value
            for place, value in enumerate(inputs)
            if not isinstance(value, torch.Tensor)
        },
        "cases": repr(cases),
    }


def _module(name: str, text: str) -> types.ModuleType:
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - in the sandbox
    return module


def largest(cases: Sequence[Case], dtype: str | None) -> Case:
    """Return the largest case of this data type, because a size of 1 would become a constant."""
    case = max(cases, key=lambda case: (min(_sizes(case), default=2) > 1, sum(_sizes(case))))
    return {**case, "dtype": dtype} if dtype else case


def _sizes(case: Case) -> list[int]:
    values = [value for name, value in case.items() if name not in ("seed", "dtype")]
    flat = itertools.chain.from_iterable(v if isinstance(v, tuple | list) else (v,) for v in values)
    return [value for value in flat if type(value) is int]


def _alike(test: types.ModuleType, first_case: Case, inputs: Sequence[Any]) -> Iterator[Case]:
    fixed = {"dtype", *getattr(test, "FIXED", ())} & first_case.keys()
    keys = set()
    for case in test.CASES:
        changed = {**case, **{name: first_case[name] for name in fixed}}
        key = json.dumps({**changed, "seed": 0}, sort_keys=True, default=str)
        if key not in keys and _kinds(test.make_inputs(changed, "cpu")) == _kinds(inputs):
            keys.add(key)
            yield changed


def _kinds(inputs: Sequence[Any]) -> list[Any]:
    """Return what the compiled code depends on: types, numbers of axes, and numbers."""
    return [
        (value.dtype, value.dim()) if isinstance(value, torch.Tensor) else (type(value), value)
        for value in inputs
    ]


ROLES = roles(answer)
HAS_COMPILE_BUDGET = False
