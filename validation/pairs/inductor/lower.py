"""Lowering of a function of tensors to the module that Inductor generates for a GPU.

Every size above 1 and every stride is a distinct symbol. So the code supports other sizes and any
layout, unless the function relates sizes to each other. The example's strides never match those of
a contiguous tensor, so Inductor does not specialize for contiguous tensors.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import torch
from torch._dynamo.device_interface import CudaInterface
from torch._dynamo.source import ConstantSource
from torch._guards import TracingContext, tracing
from torch._inductor import config
from torch._inductor.debug import DebugContext
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.fx_passes.post_grad import post_grad_passes, view_to_reshape
from torch._inductor.graph import GraphLowering
from torch._inductor.virtualized import V
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

# Properties of a simulated GPU: Inductor asks for them before it generates a kernel. The answer is
# always the same, so every machine generates the same code. No code is compiled or launched.
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
SETTINGS: dict[str, Any] = {
    # Inductor would trace its patterns for attention and matrices on a real GPU.
    "pattern_matcher": False,
    # Generate Triton code for matrix products, instead of library calls.
    "triton.native_matmul": True,
    # Use a separate name for each buffer, so that the code is readable.
    "allow_buffer_reuse": False,
    "inplace_buffers": False,
    "comprehensive_padding": False,
    "split_reductions": False,
    "online_softmax": False,
    # This would need a search for a configuration.
    "triton.mix_order_reduction": False,
}


def lower(function: Callable[..., Any], inputs: Sequence[torch.Tensor]) -> str:
    """Return the source of Inductor's module."""
    shapes = ShapeEnv(duck_shape=False)
    fake = FakeTensorMode(shape_env=shapes, allow_non_fake_inputs=True)
    # A release of torch may lack some of the settings.
    known = config.get_config_copy()
    settings = {name: value for name, value in SETTINGS.items() if name in known}
    with config.patch(settings), described_gpu(), fake:
        # Torch can fake an absent GPU, but some C++ operations fail with it. So trace on fake CPU
        # tensors, and move the resulting graph to the GPU.
        on_cpu = [_symbolic(shapes, tensor, place) for place, tensor in enumerate(inputs)]
        graph = make_fx(function, select_decomp_table(), tracing_mode="real")(*on_cpu)
        examples = [
            torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cuda")
            for tensor in on_cpu
        ]
        for node in graph.graph.nodes:
            if "device" in node.kwargs:
                node.kwargs = {**node.kwargs, "device": torch.device("cuda")}
        with V.set_fake_mode(fake), tracing(TracingContext(fake)):
            FakeTensorProp(graph, fake).propagate_dont_convert_inputs(*examples)
            view_to_reshape(graph)  # type: ignore[no-untyped-call]
            post_grad_passes(graph, True)
            lowering = GraphLowering(
                graph, example_inputs=examples, shape_env=shapes, is_inference=True
            )
            with (
                V.set_graph_handler(lowering),
                V.set_debug_handler(DebugContext()),
                V.set_extern_kernel_nodes([]),
            ):
                lowering.run(*examples)
                code, _ = lowering.codegen()
                return str(code.value)


def symbolic_sizes(shapes: ShapeEnv, tensor: torch.Tensor, place: int) -> list[int | torch.SymInt]:
    """Return a symbol for each size of an input above 1. `place`: the number of the input."""
    return [
        size if size < 2 else _symbol(shapes, size, f"size_{place}_{axis}")
        for axis, size in enumerate(tensor.shape)
    ]


def _symbolic(shapes: ShapeEnv, tensor: torch.Tensor, place: int) -> torch.Tensor:
    """Return a fake tensor with symbolic sizes and strides."""
    sizes = symbolic_sizes(shapes, tensor, place)
    strides, stride = [], 2
    for axis in reversed(range(tensor.dim())):
        strides.append(_symbol(shapes, stride, f"stride_{place}_{axis}"))
        stride *= max(tensor.shape[axis], 2) + 1
    return torch.empty_strided(sizes, strides[::-1], dtype=tensor.dtype)


def _symbol(shapes: ShapeEnv, hint: int, name: str) -> torch.SymInt:
    source = ConstantSource(name)
    symbol = shapes.create_symbol(hint, source, dynamic_dim=DimDynamic.DYNAMIC)
    node = shapes.create_symintnode(symbol, hint=hint, source=source)
    return cast(torch.SymInt, node)


@contextmanager
def described_gpu() -> Iterator[None]:
    with ExitStack() as stack:
        for name, answer in SAID.items():
            for place in (torch.cuda, CudaInterface, CudaInterface.Worker):
                if hasattr(place, name):
                    stack.enter_context(patch.object(place, name, _saying(answer)))
        # Do not load CUDA's driver, because its version has no effect here.
        stack.enter_context(patch("torch.utils._triton.triton_hash_with_backend", _saying("none")))
        stack.enter_context(patch("torch.utils._triton.has_triton", _saying(True)))
        yield


def _saying(answer: Any) -> Any:
    return staticmethod(lambda *_, **__: answer)
