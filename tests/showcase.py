"""A small, complete house for pictures and browsers: kernels with evidence, twins, pairs, people.

python manage.py shell -c "from tests.showcase import furnish; furnish()"
"""

from django.utils import timezone

from curation.models import DecisionReason, Kernel, License, Pair, Repository
from curation.review import dashboard, priority
from curation.review.figures import keep
from tests import factories as make

ROTARY = '''\
import torch
import triton
import triton.language as tl

PAD = 2


@triton.jit
def load_angle(ptr, rows, cols, stride, mask):
    """The cosine or sine of a block, zero outside."""
    return tl.load(ptr + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)


@triton.jit
def rotate_kernel(
    out_ptr,
    x_ptr,
    cos_ptr,
    sin_ptr,
    length,
    half,
    stride_x,
    stride_angle,
    INTERLEAVED: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Turn each pair of features by the angle of its position."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, BLOCK_K)
    inside = (rows[:, None] < length) & (cols[None, :] < half)
    cos = load_angle(cos_ptr, rows, cols, stride_angle, inside)
    sin = load_angle(sin_ptr, rows, cols, stride_angle, inside)
    if INTERLEAVED:
        left = rows[:, None] * stride_x + PAD * cols[None, :]
        right = left + 1
    else:
        left = rows[:, None] * stride_x + cols[None, :]
        right = left + half
    x0 = tl.load(x_ptr + left, mask=inside, other=0.0).to(tl.float32)
    x1 = tl.load(x_ptr + right, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + left, x0 * cos - x1 * sin, mask=inside)
    tl.store(out_ptr + right, x0 * sin + x1 * cos, mask=inside)
'''

LAUNCHER = """\
def rotate(x, cos, sin, interleaved=False):
    out = torch.empty_like(x)
    length, width = x.shape
    grid = (triton.cdiv(length, 16),)
    rotate_kernel[grid](
        out, x, cos, sin, length, width // 2, x.stride(0), cos.stride(0), interleaved, 16, 64
    )
    return out
"""

SOFTMAX = """\
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, x_ptr, stride, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < width, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + cols, x / tl.sum(x, axis=0), mask=cols < width)
"""

PYTHON = """\
import torch


def scaled_add(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
    return x + scale * y
"""
TRITON = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scaled_add_kernel(x_ptr, y_ptr, out_ptr, scale, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + scale * y, mask=inside)


def scaled_add(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
    out = torch.empty_like(x)
    count = out.numel()
    scaled_add_kernel[(triton.cdiv(count, 1024),)](x, y, out, scale, count, BLOCK=1024)
    return out
"""
TEST = """\
import pytest
import torch
from python_code import scaled_add as reference
from triton_code import scaled_add as candidate

CASES = [{"size": 1}, {"size": 97}, {"size": 4096}]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, y = torch.randn(case["size"]), torch.randn(case["size"])
    rtol, atol = TOLERANCE[x.dtype]
    assert torch.allclose(candidate(x, y, 0.5), reference(x, y, 0.5), rtol=rtol, atol=atol)
"""


def furnish() -> Kernel:
    """Make everything, and answer with the kernel that is shown off."""
    source = make.a_repository(
        name="orbit-lab/fast-attention", category="flashattention", tier=1, stars=14_200
    )
    copy = make.a_repository(name="someone/serving", category="utils", stars=800)
    for text in ("It is wrong", "It is a twin of a better one"):
        DecisionReason.objects.get_or_create(text=text, defaults={"status": "rejected"})
    shown = _rotary(source, copy)
    softmax = _kernel("softmax_kernel", SOFTMAX, source, "fast_attention/ops/softmax.py", 8)
    _twin(softmax, copy)
    for number in range(24):
        name = f"scale_kernel_{number}"
        _kernel(name, SOFTMAX.replace("softmax_kernel", name), copy, f"serving/op_{number}.py", 8)
    _pair()
    priority.refresh()
    keep(dashboard.NAME, dashboard.gather())
    return shown


def _kernel(name: str, source: str, repository: Repository, path: str, line: int) -> Kernel:
    function = source[source.index("@triton.jit\ndef " + name) :]
    license, _ = License.objects.get_or_create(
        expression="BSD-3-Clause", defaults={"verdict": "permissive"}
    )
    kernel = make.a_kernel(
        name=name,
        function_source=function,
        standalone_source=source,
        license=license,
        license_verdict="permissive",
        operation_type="softmax",
        difficulty="easy",
        tags=["online"],
        lines=source.count("\n"),
        tokens=len(source) // 3,
    )
    file = make.a_source_file(repository=repository, path=path, commit="0251105a" + "c" * 32)
    make.a_provenance(
        kernel=kernel,
        source_file=file,
        start_line=line,
        end_line=line + function.count("\n") - 1,
        license=license,
        license_verdict="permissive",
        license_reason="The repository's LICENSE says BSD-3-Clause, and no file says otherwise.",
    )
    make.some_license_evidence(
        repository=repository,
        source_file=file,
        license=license,
        verdict="permissive",
        path="LICENSE",
        start_line=1,
        end_line=28,
        matched_text="Redistribution and use in source and binary forms, with or without "
        "modification, are permitted provided that the following conditions are met",
        confidence=1.0,
    )
    return kernel


def _rotary(source: Repository, copy: Repository) -> Kernel:
    kernel = _kernel("rotate_kernel", ROTARY, source, "fast_attention/ops/rotary.py", 12)
    Kernel.objects.filter(pk=kernel.pk).update(
        launcher_source=LAUNCHER,
        operation_type="element-wise",
        difficulty="medium",
        tags=["rotary-embedding"],
        pinned=True,
    )
    kernel.refresh_from_db()
    there = make.a_source_file(repository=copy, path="serving/kernels/rope.py")
    make.a_provenance(kernel=kernel, source_file=there, start_line=40, end_line=72)
    run = make.a_validation_run(device="compiler")
    make.a_validation_result(
        run=run, kernel=kernel, content_hash=kernel.content_hash, seconds=0.3, message="sm_90"
    )
    make.a_finding(kernel=kernel, gate="length", passed=True)
    make.a_finding(
        kernel=kernel, gate="magic-numbers", passed=False, message="Two numbers have no name."
    )
    _twin(kernel, copy)
    return kernel


def _twin(kernel: Kernel, repository: Repository) -> None:
    """A near twin in other names, and with one line more."""
    renamed = {"inside": "mask", "left": "lo", "right": "hi", "cols": "col_ids", "half": "dim"}
    text = kernel.standalone_source.replace(
        "tl.store(out", "tl.debug_barrier()\n    tl.store(out", 1
    )
    for old, new in renamed.items():
        text = text.replace(old, new)
    name = kernel.name.replace("_kernel", "_copy")
    twin = _kernel(name, text.replace(kernel.name, name), repository, f"serving/{name}.py", 21)
    make.a_duplicate_link(kernel=twin, of_kernel=kernel, similarity=0.87)


def _pair() -> Pair:
    pair = make.a_pair(
        slug="scaled-add-fp32",
        entry_point="scaled_add",
        python_code=PYTHON,
        triton_code=TRITON,
        test_code=TEST,
        origin="manual",
        tags=["vector-addition"],
    )
    run = make.a_validation_run(
        environment={"gpu": "none", "torch": "2.13.0", "triton": "3.9.0", "python": "3.11.7"},
        state="succeeded",
        finished_at=timezone.now(),
    )
    result = make.a_validation_result(
        run=run,
        pair=pair,
        content_hash=pair.content_hash,
        seconds=4.2,
        figures={"cases": 17, "speedup": 1.6, "reference_ms": 0.031, "candidate_ms": 0.019},
    )
    for name, error in (("equal", 2e-7), ("odd sizes", 9e-7), ("not contiguous", 3e-8)):
        make.a_validation_check(
            result=result,
            name=name,
            message="All cases agree.",
            figures={"max_abs_error": error, "tolerance": 1e-6},
        )
    return pair
