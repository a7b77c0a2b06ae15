"""A miniature operator library with FlagGems' idioms, written by us."""

from __future__ import annotations

INIT = """
import torch

from flag_gems.ops import *
from flag_gems.fused import *

device = "cuda"
vendor_name = "nvidia"


def enable(lib):
    register(
        (
            ("exp", exp),
            ("exp_", exp_),
            ("add.Tensor", add),
            ("lerp.Scalar", lerp_scalar),
            ("lerp.Tensor", lerp_tensor),
            ("cummax", cummax),
            ("mean", mean),
            ("mean.dim", mean_dim),
        ),
        lib,
    )


class use_gems:
    def __enter__(self):
        enable(torch.library.Library("aten", "IMPL"))
"""
OPS = """
from flag_gems.ops.add import add
from flag_gems.ops.cummax import cummax
from flag_gems.ops.exp import exp, exp_
from flag_gems.ops.lerp import lerp_scalar, lerp_tensor
from flag_gems.ops.mean import mean, mean_dim
"""
HEAD = """
import logging

import torch
import triton
import triton.language as tl

from flag_gems import runtime
from flag_gems.runtime import torch_device_fn
from flag_gems.utils import libentry, pointwise_dynamic

logger = logging.getLogger(__name__)
"""
EXP = f"""{HEAD}

@pointwise_dynamic(promotion_methods=[(0, "INT_TO_FLOAT")])
@triton.jit
def exp_func(x):
    return tl.exp(x.to(tl.float32))


def exp(A):
    logger.debug("GEMS EXP")
    return exp_func(A)


def exp_(A):
    return exp_func(A, out0=A)
"""
ADD = f"""{HEAD}

@pointwise_dynamic(is_tensor=[True, True, False], promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def add_func(x, y, alpha):
    return x + y * alpha


def add(A, B, *, alpha=1):
    return add_func(A, B, alpha)
"""
LERP = f"""{HEAD}

@pointwise_dynamic(is_tensor=[True, True, False], promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def lerp_scalar_func(start, end, weight):
    return start + weight.to(tl.float32) * (end - start)


@pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])
@triton.jit
def lerp_tensor_func(start, end, weight):
    return start + weight * (end - start)


def lerp_scalar(input, end, weight):
    return lerp_scalar_func(input, end, weight)


def lerp_tensor(input, end, weight):
    return lerp_tensor_func(input, end, weight)
"""
CUMMAX = f"""{HEAD}

@libentry()
@triton.jit
def cummax_kernel(x_ptr, out_ptr, place_ptr, n):
    most = tl.load(x_ptr)
    place = 0
    for i in range(n):
        x = tl.load(x_ptr + i)
        place = tl.where(x >= most, i, place)
        most = tl.where(x >= most, x, most)
        tl.store(out_ptr + i, most)
        tl.store(place_ptr + i, place)


def cummax(input, dim):
    out = torch.empty_like(input)
    places = torch.empty_like(input, dtype=torch.int64)
    cummax_kernel[(1,)](input, out, places, input.numel())
    return out, places
"""
MEAN = f"""{HEAD}

@libentry()
@triton.autotune(configs=runtime.get_tuned_config("mean"), key=["n"])
@triton.heuristics(runtime.get_heuristic_config("mean"))
@triton.jit
def mean_kernel(x_ptr, out_ptr, m, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    columns = tl.arange(0, COLUMNS)[None, :]
    mask = rows < m and columns < n
    x = tl.load(x_ptr + rows * n + columns, mask=mask, other=0.0)
    tl.store(out_ptr + rows, tl.sum(x, 1)[:, None] / n, mask=rows < m)


def mean(inp, *, dtype=None):
    return mean_dim(inp.view(1, -1), 1)[0]


def mean_dim(inp, dim, keepdim=False, *, dtype=None):
    logger.debug("GEMS MEAN")
    out = torch.empty(inp.shape[0], device=inp.device)
    with torch_device_fn.device(inp.device):
        grid = lambda meta: (triton.cdiv(inp.shape[0], meta["ROWS"]),)
        mean_kernel[grid](inp, out, inp.shape[0], inp.shape[1])
    return out
"""
HEURISTICS = """
import triton


def mean_heur_columns(args):
    return triton.next_power_of_2(args["n"])


HEURISTICS_CONFIGS = {"mean": {"COLUMNS": mean_heur_columns}}
"""
TUNED = """
mean:
- gen: true
  param_map:
    META:
      ROWS: rows
    num_warps: warps
  rows: [1, 2]
  warps: [4, 8]
"""
UTILITIES = """
import torch

import flag_gems

from .conftest import QUICK_MODE, TO_CPU

bf16_is_supported = flag_gems.runtime.device.support_bf16
SHAPES = [(2, 3)] if QUICK_MODE else [(4, 8), (5, 37)]
DTYPES = [torch.float16, torch.float32]


def to_reference(inp, upcast=False):
    ref = inp.to("cpu") if TO_CPU else inp
    return ref.to(torch.float64) if upcast else ref


def gems_assert_close(res, ref, dtype, equal_nan=False, reduce_dim=1, atol=1e-4):
    flag_gems.testing.assert_close(res, ref, dtype)
"""
TEST_HEAD = """
import numpy as np
import pytest
import torch

import flag_gems

from .accuracy_utils import DTYPES, SHAPES, gems_assert_close, to_reference
"""
FILES = {
    "src/flag_gems/__init__.py": INIT,
    "src/flag_gems/fused/__init__.py": "",
    "src/flag_gems/ops/__init__.py": OPS,
    "src/flag_gems/ops/exp.py": EXP,
    "src/flag_gems/ops/add.py": ADD,
    "src/flag_gems/ops/cummax.py": CUMMAX,
    "src/flag_gems/ops/lerp.py": LERP,
    "src/flag_gems/ops/mean.py": MEAN,
    "src/flag_gems/runtime/__init__.py": "from .loader import load\n",
    "src/flag_gems/runtime/backend/_nvidia/heuristics_config_utils.py": HEURISTICS,
    "src/flag_gems/runtime/backend/_nvidia/tune_configs.yaml": TUNED,
    "src/flag_gems/runtime/backend/_nvidia/__init__.py": "",
    "src/flag_gems/runtime/backend/__init__.py": "",
    "src/flag_gems/utils/__init__.py": "from flag_gems.utils.libentry import libentry\n",
    "src/flag_gems/utils/libentry.py": "def libentry():\n    return lambda kernel: kernel\n",
    "tests/__init__.py": "",
    "tests/conftest.py": "def pytest_configure(config):\n    global TO_CPU\n    TO_CPU = True\n",
    "tests/accuracy_utils.py": UTILITIES,
}
