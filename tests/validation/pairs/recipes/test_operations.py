"""Both sides of every operation compute the same: small, large, NaN and infinite values too."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - the name that the operations use

from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import BINARY, OUTER, TERNARY
from validation.pairs.recipes.unary import UNARY

TRITON = SimpleNamespace(
    abs=torch.abs,
    cos=torch.cos,
    erf=torch.erf,
    exp=torch.exp,
    exp2=torch.exp2,
    floor=torch.floor,
    log=torch.log,
    rsqrt=torch.rsqrt,
    sigmoid=torch.sigmoid,
    sin=torch.sin,
    sqrt=torch.sqrt,
    where=lambda condition, a, b: torch.where(condition, _tensor(a), _tensor(b)),
)
SPECIAL = (
    0.0,
    -0.0,
    float("inf"),
    -float("inf"),
    float("nan"),
    0.5,
    -0.5,
    1.0,
    -1.5,
    2.0,
    3.0,
    6.0,
)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("operation", [*UNARY, *BINARY, *TERNARY, *OUTER], ids=lambda one: one.name)
def test_the_triton_and_pytorch_sides_of_each_operation_agree(
    operation: Operation, scale: float
) -> None:
    operands = _given(operation, lambda seed: _drawn(seed, scale))

    precise = _in_torch(operation, _in_double(operands))
    found = _in_triton(operation, operands)

    size = precise.square().mean().sqrt()
    assert torch.allclose(found.double(), precise, rtol=4e-6, atol=1e-6 * float(size))


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("softplus", -1, 0), ("log_sigmoid", 1, 0), ("log_add_exp", 0, -1), ("log_add_exp", -1, 0)],
)
def test_operations_keep_the_precision_of_small_results(name: str, first: int, second: int) -> None:
    operation = next(one for one in (*UNARY, *BINARY) if one.name == name)
    far = torch.linspace(7.0, 20.0, 1000)
    operands = {"x": first * far, "y": second * far}

    precise = _in_torch(operation, _in_double(operands))
    found = _in_triton(operation, operands)

    assert torch.allclose(found.double(), precise, rtol=2e-6, atol=0.0)


@pytest.mark.parametrize("operation", [*UNARY, *BINARY, *TERNARY, *OUTER], ids=lambda one: one.name)
def test_both_sides_of_each_operation_agree_on_nan_and_infinity(operation: Operation) -> None:
    names = "xyz"[: operation.operands]
    grid = torch.cartesian_prod(*[torch.tensor(SPECIAL)] * len(names)).reshape(-1, len(names))
    columns = grid.unbind(1)
    operands = _given(operation, lambda place: columns[place])

    # In double: of infinity in single precision, torch's own GELU is NaN on some processors.
    precise = _in_torch(operation, _in_double(operands))
    expected, found = precise.float(), _in_triton(operation, operands)

    same = torch.isclose(found, expected, rtol=1e-5, atol=1e-6, equal_nan=True)
    wrong = [(*row.tolist(), a.item(), b.item()) for row, a, b in zip(
        grid[~same], found[~same], expected[~same], strict=True)]  # fmt: skip
    assert not wrong, "inputs, found, expected"


def _given(operation: Operation, drawn: Callable[[int], torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return values for each operand; those of a mask are truth values."""
    operands = {name: drawn(place) for place, name in enumerate("xyz"[: operation.operands])}
    for name, operand in zip("yz", operation.further, strict=False):
        if operand.draw == "mask":
            operands[name] = operands[name] > 0.0
    return operands


def _in_double(operands: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {n: v if v.dtype == torch.bool else v.double() for n, v in operands.items()}


def _drawn(seed: int, scale: float) -> torch.Tensor:
    return torch.randn(4000, generator=torch.Generator().manual_seed(seed)) * scale


def _in_torch(operation: Operation, operands: dict[str, torch.Tensor]) -> torch.Tensor:
    text = operation.torch.format(x="x", y="y", z="z")
    return _tensor(eval(text, {"torch": torch, "F": F, **operands}))  # noqa: S307 - our own text


def _in_triton(operation: Operation, operands: dict[str, torch.Tensor]) -> torch.Tensor:
    known: dict[str, object] = {
        "tl": TRITON,
        "fmax": _fmax,
        "fmin": _fmin,
        "fclamp": lambda x, low, high: _fmin(_fmax(x, low), high),
        "ftanh": torch.tanh,
        "fexact_tanh": torch.tanh,
        "fexpm1": torch.expm1,
        "flog1p": torch.log1p,
        **operands,
    }
    for line in (*operation.before, f"result = {operation.triton}"):
        exec(line.format(x="x", y="y", z="z"), known)  # noqa: S102 - our own text
    return _tensor(known["result"])


def _fmax(a: object, b: object) -> torch.Tensor:
    return torch.maximum(_tensor(a), _tensor(b))


def _fmin(a: object, b: object) -> torch.Tensor:
    return torch.minimum(_tensor(a), _tensor(b))


def _tensor(value: object) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.tensor(value)
