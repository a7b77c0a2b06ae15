"""The shipped layers themselves, before Inductor writes anything for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from validation.inductor.modules import MODULES
from validation.inductor.offer import Offer, of_modules

torch = pytest.importorskip("torch", reason="references are PyTorch's")
# The rest is for what is tested: whoever rounds in other places is off by as much again.
OF_WHAT_IS_ALLOWED = 0.5
OFFERS = {offer.entry_point: offer for offer in of_modules(MODULES)}


@pytest.fixture
def beside_its_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("python_code", "triton_code", "test_code"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("beside_its_test")
@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
def test_its_own_rounding_leaves_half_of_the_tolerance(offer: Offer) -> None:
    """On the CPU some of torch's layers round in between what they do on a GPU in one go."""
    reference = filled("python_code", offer.python_code)
    sys.modules["triton_code"] = reference
    test = filled("test_code", offer.test_code)
    layer = getattr(reference, offer.entry_point)
    for case in test.CASES:
        given = test.make_inputs(case, "cpu")
        relative, absolute = test.TOLERANCE[case["dtype"]]
        for answer, exact in zip(
            tensors(layer(*given)), tensors(layer(*map(widened, given))), strict=True
        ):
            allowed = absolute + relative * exact.double().abs()
            off = (answer.double() - exact.double()).abs() / allowed
            assert not (off[exact.isfinite()] > OF_WHAT_IS_ALLOWED).any(), case


def filled(name: str, text: str) -> Any:
    module = sys.modules[name]
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)  # noqa: S102 - our own text
    return module


def tensors(answer: Any) -> list[Any]:
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [part for part in parts if part.is_floating_point()]


def widened(value: Any) -> Any:
    wide = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if wide else value
