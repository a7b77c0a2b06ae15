"""What holds data is hidden but while a kernel runs, whatever else goes on."""

import sys
import threading
from collections.abc import Callable

import pytest
import torch

from validation.harness.inside.veil import Veil

STEPS: dict[str, Callable[[Veil], object]] = {
    "hidden": lambda veil: veil.lower(launched=True),
    "shown": Veil.lift,
    "measured": lambda veil: [*veil.extents()],
    "dropped": Veil.drop,
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_thread_that_makes_tensors_meanwhile_disturbs_nobody(
    step: Callable[[Veil], object],
) -> None:
    veil, done = Veil(on=True), threading.Event()
    veil.cover([torch.ones(100) for _ in range(200)])
    kept: list[torch.Tensor] = []

    def makes_more() -> None:
        while not done.is_set() and len(kept) < 5000:
            kept.append(torch.ones(3))
            veil.cover(kept[-1:])

    thread, usual = threading.Thread(target=makes_more), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for _ in range(20):
            step(veil)
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(usual)
