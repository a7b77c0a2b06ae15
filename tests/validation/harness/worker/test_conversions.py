"""Conversions of narrow floats in the interpreter, against those of torch."""

from typing import Any

import numpy as np
import pytest
import torch
from triton import language as tl
from triton.runtime import interpreter

from validation.harness.worker.conversions import patch_conversions

NARROW = {tl.float8e4nv: torch.float8_e4m3fn, tl.float8e5: torch.float8_e5m2}
WIDE = {tl.float16: torch.float16, tl.bfloat16: torch.bfloat16, tl.float32: torch.float32}


@pytest.fixture(autouse=True)
def patched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_convert_float", interpreter._convert_float)
    patch_conversions()


def converted(values: torch.Tensor, source: Any, target: Any) -> torch.Tensor:
    """Convert as a kernel of the interpreter does, which holds bfloat16 and float8 as integers."""
    data = values.view(torch.uint8).numpy().view(interpreter._get_np_dtype(source))
    result = interpreter._convert_float(data, source, target, None)
    return torch.from_numpy(result.view(np.uint8)).view((NARROW | WIDE)[target])


def all_values(kind: torch.dtype) -> torch.Tensor:
    count = 256**kind.itemsize
    if count > 65536:
        random = torch.randint(-(2**31), 2**31, (1_000_000,), generator=torch.Generator())
        return random.to(torch.int32).view(kind)
    return torch.arange(count).to(torch.uint8 if count == 256 else torch.int16).view(kind)


@pytest.mark.parametrize("target", NARROW, ids=str)
@pytest.mark.parametrize("source", WIDE, ids=str)
def test_values_are_rounded_to_nearest_even_and_saturate(source: Any, target: Any) -> None:
    kind = NARROW[target]
    values, largest = all_values(WIDE[source]), torch.finfo(kind).max

    expected = values.float().clamp(-largest, largest).to(kind).float()

    actual = converted(values, source, target).float()
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


def test_bfloat16_is_rounded_to_nearest_even() -> None:
    values = all_values(torch.float32)

    actual = converted(values, tl.float32, tl.bfloat16)

    torch.testing.assert_close(actual, values.bfloat16(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("source", NARROW, ids=str)
@pytest.mark.parametrize("target", WIDE, ids=str)
def test_widened_values_keep_nan_and_infinities(source: Any, target: Any) -> None:
    values = all_values(NARROW[source])

    actual = converted(values, source, target).float()

    torch.testing.assert_close(actual, values.float(), rtol=0, atol=0, equal_nan=True)
