"""Launch of one kernel in Triton's interpreter, with small guessed arguments, in its own process.

A launch without an error shows that the kernel can be launched. An error does not prove a fault of
the kernel, because the arguments were guessed.
"""

import ast
import math
import resource
import traceback
from typing import Any

import torch
import triton.language as tl

from validation.compile.compiler import NotLoaded, imported

# Number of elements that a pointer argument has, and the value of every size, stride and count.
ELEMENTS = 1 << 20
SIZE = 16
TYPES = {
    "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "fp64": torch.float64,
    "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
    "u8": torch.uint8, "i1": torch.bool,
}  # fmt: skip


class NotGuessed(Exception):
    """This module can't create an argument of this type."""


def launch(
    source: str, name: str, signature: dict[str, str], constants: dict[str, str], seconds: float
) -> dict[str, Any]:
    # The soft limit's signal is reported as a timeout, the hard limit's is not.
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), hard))
    try:
        function = _interpreted(vars(imported(source)), name)
        values = {key: _argument(kind) for key, kind in signature.items()}
        values |= {key: _constant(text) for key, text in constants.items()}
        function[(1,)](**values)
    except (NotLoaded, NotGuessed) as error:
        return {"launched": False, "message": f"{error}"}
    except BaseException as error:  # noqa: BLE001 - scraped code may raise anything
        cause = error.__cause__ or error
        said = traceback.format_exception_only(cause)[-1].strip()
        return {"launched": False, "message": said[:500]}
    return {"launched": True, "message": ""}


def _interpreted(namespace: dict[str, Any], name: str) -> Any:
    """Return the kernel without its autotuner, because the constants are chosen already."""
    for candidate in (namespace.get(name), *namespace.values()):
        for _ in range(8):
            if type(candidate).__name__ == "InterpretedFunction":
                if candidate.fn.__name__ == name:
                    return candidate
                break
            candidate = getattr(candidate, "fn", None)
    raise NotGuessed(f"the unit has no kernel {name} once it is interpreted")


def _argument(kind: str) -> Any:
    if kind.startswith("*"):
        if kind[1:] not in TYPES:
            raise NotGuessed(f"no memory of type {kind[1:]} can be made")
        return torch.zeros(ELEMENTS, dtype=TYPES[kind[1:]])
    if kind.startswith("("):
        raise NotGuessed("tuples are not guessed")
    return 1.0 if kind.startswith(("fp", "bf")) else SIZE


def _constant(text: str) -> Any:
    if text.startswith("tl."):
        return getattr(tl, text[3:])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
