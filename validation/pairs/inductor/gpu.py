"""Simulated properties of a GPU, so that Inductor generates code for it on any machine.

Inductor asks torch for the GPU's properties before it generates a kernel. The answer is always the
same, so every machine generates the same code. No code is compiled or launched.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
from torch._dynamo.device_interface import CudaInterface

CAPABILITY = (9, 0)
DESCRIBED = SimpleNamespace(
    name="NVIDIA H200",
    gcnArchName="",
    major=CAPABILITY[0],
    minor=CAPABILITY[1],
    multi_processor_count=132,
    regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
    shared_memory_per_block=49152,
    shared_memory_per_block_optin=232448,
    shared_memory_per_multiprocessor=233472,
    L2_cache_size=60 << 20,
    total_memory=140 << 30,
)
SAID: dict[str, Any] = {
    "get_device_properties": DESCRIBED,
    "get_device_capability": CAPABILITY,
    "device_count": 1,
    "current_device": 0,
    "is_available": True,
    "is_bf16_supported": True,
    "set_device": None,
    "synchronize": None,
    "_exchange_device": 0,
    "_maybe_exchange_device": 0,
}


@contextmanager
def described_gpu() -> Iterator[None]:
    with ExitStack() as stack:
        for name, answer in SAID.items():
            for place in (torch.cuda, CudaInterface, CudaInterface.Worker):
                if hasattr(place, name):
                    stack.enter_context(patch.object(place, name, _saying(answer)))
        # Avoid loading CUDA's driver: its version has no effect here.
        stack.enter_context(patch("torch.utils._triton.triton_hash_with_backend", _saying("none")))
        stack.enter_context(patch("torch.utils._triton.has_triton", _saying(True)))
        yield


def _saying(answer: Any) -> Any:
    return staticmethod(lambda *_, **__: answer)
