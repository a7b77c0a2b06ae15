"""Outside records, written here: good ones in every form, and all the ways to break them."""

from __future__ import annotations

import json
from typing import Any

from validation.pairs.generation import generate
from validation.pairs.recipes.catalog import RECIPES

Record = dict[str, Any]

MODULE = """
import torch
import torch.nn as nn


class Scaled{number}(nn.Module):
    def __init__(self, size, start=1.0):
        super().__init__()
        self.scale = nn.Parameter(torch.full((size,), start))

    def forward(self, x):
        return torch.relu(x) * self.scale + {number}


def get_inputs():
    return [torch.rand([4, 5, 7])]


def get_init_inputs():
    return [[], {{"size": 7}}]
"""
MODULE_IN_TRITON = """
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled_kernel(x_ptr, scale_ptr, out_ptr, n_elements, size, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    scale = tl.load(scale_ptr + offsets % size, mask=mask)
    tl.store(out_ptr + offsets, tl.maximum(x, 0.0) * scale + {number}, mask=mask)


class Scaled{number}New(nn.Module):
    def __init__(self, size, start=1.0):
        super().__init__()
        self.scale = nn.Parameter(torch.full((size,), start))

    def forward(self, x):
        out = torch.empty_like(x)
        scaled_kernel[(triton.cdiv(x.numel(), 64),)](
            x, self.scale, out, x.numel(), x.shape[-1], BLOCK_SIZE=64
        )
        return out
"""
REFERENCE = """
import torch


def shifted{number}(x, by):
    return x + by * {number}

{line}

import torch


def test_shifted{number}():
    results = {{}}
    x = torch.tensor([1.0, -2.0, 3.0], device='cuda')
    results["test_case_1"] = shifted{number}(x, 2.0)

    rows = 5
    y = torch.randn(rows, 3, device="cuda")
    results["test_case_2"] = shifted{number}(y, 0.5)
    return results


test_results = test_shifted{number}()
"""
FUNCTION_IN_TRITON = """
import torch
import triton
import triton.language as tl


@triton.jit
def shifted_kernel(x_ptr, out_ptr, by, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + by, mask=mask)


def shifted{number}(x, by):
    out = torch.empty_like(x)
    shifted_kernel[(triton.cdiv(x.numel(), 64),)](x, out, by * {number}, x.numel(), BLOCK_SIZE=64)
    return out
"""


def kernelbook(number: int) -> Record:
    return {
        "entry_point": f"Scaled{number}",
        "python_code": MODULE.format(number=number),
        "triton_code": MODULE_IN_TRITON.format(number=number),
        "repo_name": "somebody/models",
        "sha": "0" * 40,
        "repo_link": "https://code.example/somebody/models",
        "licenses": ["MIT"],
        "stars": 3,
    }


def tritonbench(number: int) -> Record:
    return {
        "file": f"shifted{number}.py",
        "reference": REFERENCE.format(number=number, line="#" * 60),
        "triton_code": FUNCTION_IN_TRITON.format(number=number),
    }


def own(count: int) -> list[Record]:
    return [draft.as_record() for draft in generate(RECIPES, count, seed=5)]


def good() -> list[bytes]:
    """A hundred."""
    records = [*own(60), *map(kernelbook, range(1, 21)), *map(tritonbench, range(1, 21))]
    return [json.dumps(record).encode() for record in records]


def broken() -> list[tuple[bytes, str]]:
    """Forty, each with words that its refusal holds."""
    (base,) = own(1)
    name = base["metadata"]["entry_point"]

    def without(key: str) -> Record:
        return {k: v for k, v in base.items() if k != key}

    def told(**metadata: Any) -> Record:
        return {**base, "metadata": {**base["metadata"], **metadata}}

    def replaced(key: str, old: str, new: str) -> Record:
        assert old in base[key], (key, old)
        return {**base, key: base[key].replace(old, new)}

    book, bench = kernelbook(90), tritonbench(90)
    records: list[tuple[Record, str]] = [
        (without("python_code"), "of no known form"),
        (without("triton_code"), "triton_code is missing"),
        (without("test_code"), "python_code"),
        (without("metadata"), "of no known form"),
        ({**base, "python_code": ""}, "python_code is missing or empty"),
        ({**base, "triton_code": 7}, "triton_code is missing or empty"),
        ({**base, "test_code": "x = 1\x00"}, "null character"),
        ({**base, "test_code": "x = '\ud800'"}, "half a character"),
        ({**base, "python_code": "def f(:"}, "python_code does not parse"),
        ({**base, "triton_code": "def f(:"}, "triton_code does not parse"),
        ({**base, "test_code": "import"}, "test_code does not parse"),
        ({**base, "metadata": []}, "metadata is no object"),
        (told(operation_type="magic"), "operation_type is 'magic'"),
        (told(difficulty="brutal"), "difficulty is 'brutal'"),
        (told(origin="dream"), "origin is 'dream'"),
        (told(entry_point="not a name"), "must name a function"),
        (told(entry_point="elsewhere"), "defines no function elsewhere"),
        (told(tags="fast"), "tags is no list"),
        (told(differentiable="yes"), "neither true nor false"),
        (told(provenance="github"), "provenance is no object"),
        (told(provenance={"license": 3}), "provenance.license is no text"),
        (replaced("python_code", "import torch", "import os\nimport torch"), "imports os"),
        (replaced("triton_code", "import triton\n", "import triton\nimport numpy\n"),
         "imports numpy"),
        (replaced("test_code", "import pytest", "import pytest\nimport curation"),
         "imports curation"),
        (replaced("triton_code", "import triton\n", "import triton\nimport torch._inductor\n"),
         "private parts of torch"),
        (replaced("test_code", f"{name} as candidate", name), "as candidate"),
        (replaced("test_code", "CASES = [", "OTHERS = ["), "no constant CASES"),
        (replaced("test_code", "TOLERANCE = {", "SIZES = 1\nTOLERANCE = {"),
         "SIZES is no dictionary"),
        (replaced("test_code", "def make_inputs(case, device)", "def make_inputs(case)"),
         "does not take (case, device)"),
        (replaced("test_code", "torch.allclose", "torch.is_same_size"), "compares by none of"),
        (replaced("triton_code", "@triton.jit", "@staticmethod"), "no function decorated"),
        (replaced("triton_code", "[grid](", "("), "launches no kernel"),
        ({**book, "python_code": "class Other:\n    pass"}, "defines no class Scaled90"),
        ({**book, "triton_code": "class Other:\n    pass"}, "neither Scaled90New nor Scaled90"),
        ({**book, "python_code": book["python_code"].replace("def get_inputs", "def inputs")},
         "no function get_inputs"),
        ({**bench, "reference": "def shifted90(x, by):\n    return x"}, "does not hold a function"),
        ({**bench, "reference": bench["reference"].replace("(x, 2.0)", "(x, by=2.0)")},
         "names its arguments"),
    ]  # fmt: skip
    lines = [(json.dumps(record).encode(), reason) for record, reason in records]
    return [
        *lines,
        (b"{not json", "not JSON"),
        (b'{"python_code": "\xff"}', "not UTF-8"),
        (b"[1, 2]", "not a JSON object"),
    ]
