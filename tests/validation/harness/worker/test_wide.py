"""The answer in float64 of a reference that asks for float32."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from validation.harness.worker.rounding import Wide

Reference = Callable[[torch.Tensor], torch.Tensor]


@pytest.mark.parametrize(
    "reference",
    [
        lambda x: functional.tanhshrink(x.float()),
        lambda x: functional.tanhshrink(x.to(torch.float32)),
        lambda x: functional.tanhshrink(x.to(x.device, dtype=torch.float32)).to(torch.float32),
        lambda x: functional.tanhshrink(x.type(torch.float32)),
        lambda x: torch.zeros(x.shape, dtype=torch.float32) + functional.tanhshrink(x),
        lambda x: functional.tanhshrink(x.sum(-1, keepdim=True, dtype=torch.float32)),
        lambda x: functional.tanhshrink(
            functional.layer_norm(x.float(), [1], torch.ones_like(x[0]), x[0])
        ),
    ],
)
def test_a_tensor_that_is_widened_to_float32_becomes_float64(reference: Reference) -> None:
    x = torch.tensor([[0.0817]], dtype=torch.float64)

    with Wide():
        answer = reference(x)

    wanted = x - torch.tanh(x)
    assert answer.dtype == torch.float64
    assert torch.allclose(answer, wanted, rtol=1e-12, atol=0)


def test_without_the_wide_mode_a_reference_computes_in_float32() -> None:
    assert torch.ones(1, dtype=torch.float64).float().dtype == torch.float32


def test_a_tensor_cast_to_a_narrow_dtype_stays_narrow() -> None:
    with Wide():
        assert torch.ones(1, dtype=torch.float64).half().dtype == torch.float16
        assert torch.ones(1, dtype=torch.float64).to(torch.bfloat16).dtype == torch.bfloat16


def test_the_wide_mode_keeps_a_bitwise_view_as_float32() -> None:
    bits = torch.tensor([0x3F800000], dtype=torch.int32)

    with Wide():
        assert bits.view(torch.float32).tolist() == [1.0]


def test_the_wide_mode_keeps_seeded_random_numbers() -> None:
    def drawn() -> torch.Tensor:
        torch.manual_seed(1)
        return torch.rand(4, dtype=torch.float32)

    plain = drawn()
    with Wide():
        assert torch.equal(drawn(), plain)
