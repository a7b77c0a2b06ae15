"""Fake device for a unit during its import, with the target's properties.

Some units query the device's warps or bytes before they define their kernels. Only the sandboxed
worker uses this device, and launches no kernel on it.
"""

from types import SimpleNamespace
from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

# Properties of an H100, which has sm_90. They are close enough for other targets.
PROPERTIES: dict[str, Any] = {
    "name": "NVIDIA H100",
    "multi_processor_count": 132,
    "warp_size": 32,
    "total_memory": 80 << 30,
    "shared_memory_per_block": 48 << 10,
    "shared_memory_per_block_optin": 227 << 10,
    "shared_memory_per_multiprocessor": 228 << 10,
    "max_threads_per_multi_processor": 2048,
    "regs_per_multiprocessor": 65536,
    "gcnArchName": "",
}


def gpu_target(text: str) -> GPUTarget:
    backend, _, arch = text.partition(":")
    if not arch.isdigit():
        return GPUTarget(backend, arch, 64)
    return GPUTarget(backend, int(arch), 32)


def be_the_target(text: str) -> None:
    target = gpu_target(text)
    major, minor = divmod(target.arch, 10) if isinstance(target.arch, int) else (9, 4)
    properties = SimpleNamespace(**PROPERTIES, major=major, minor=minor)
    fakes = {
        "is_available": lambda: True,
        "current_device": lambda: 0,
        "device_count": lambda: 1,
        "get_device_capability": lambda device=None: (major, minor),
        "get_device_name": lambda device=None: properties.name,
        "get_device_properties": lambda device=None: properties,
    }
    for name, fake in fakes.items():
        setattr(torch.cuda, name, fake)
    driver.set_active(_Driver(target))  # implements only the part that units query


class _Driver:
    def __init__(self, target: GPUTarget) -> None:
        self._target = target
        self.utils = SimpleNamespace(
            get_device_properties=lambda device: {
                "max_shared_mem": 227 << 10,
                "multiprocessor_count": 132,
                "warpSize": 32,
                "max_num_regs": 65536,
            }
        )

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_benchmarker(self) -> Any:
        return lambda *arguments, **keywords: [0.0]
