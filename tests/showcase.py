"""A small, complete house for pictures and browsers: kernels with evidence, twins, pairs, people.

python manage.py shell -c "from tests.showcase import *; furnish(); remember()"
"""

import uuid
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from curation.decisions import priority
from curation.decisions import second_reviews as second
from curation.decisions.decide import decide
from curation.decisions.figures import keep
from curation.models import (
    Decision,
    DecisionReason,
    Kernel,
    License,
    Pair,
    Repository,
    SecondReview,
    Status,
)
from curation.web import dashboard
from tests import factories as make
from validation.pairs.handwritten import handwritten

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

ROTARY_PARAMETERS = (
    "out_ptr", "x_ptr", "cos_ptr", "sin_ptr", "length", "half", "stride_x", "stride_angle",
    "INTERLEAVED", "BLOCK_M", "BLOCK_K",
)  # fmt: skip

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

ADD = next(draft for draft in handwritten() if draft.slug == "add")

CHECKS: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("triton", "launches add_kernel (34 times), and the output depends on it", {}),
    (
        "accuracy",
        "right on 8 inputs, at most 4% of the allowed error",
        {"cases": 8, "max_abs_error": 2.4e-7, "share_of_allowed": 0.04},
    ),
    (
        "variations",
        "right on 17 inputs, at most 31% of the allowed error",
        {"cases": 17, "max_abs_error": 9.5e-7, "share_of_allowed": 0.31},
    ),
    ("memory", "inputs are unchanged, outputs don't alias them and are fully written", {}),
    ("falsifiable", "the test notices 9 kinds of damage", {}),
)


def furnish() -> Kernel:
    """Make everything, and answer with the kernel that is shown off."""
    source = make.a_repository(
        name="orbit-lab/fast-attention", category="flashattention", tier=1, stars=14_200
    )
    copy = make.a_repository(name="someone/serving", category="utils", stars=800)
    for text in ("Incorrect result", "Duplicate of a better one"):
        DecisionReason.objects.get_or_create(text=text, defaults={"status": "rejected"})
    shown = _rotary(source, copy)
    softmax = _kernel("softmax_kernel", SOFTMAX, source, "fast_attention/ops/softmax.py", 8)
    _twin(softmax, copy)
    for number in range(24):
        name = f"scale_kernel_{number}"
        _kernel(name, SOFTMAX.replace("softmax_kernel", name), copy, f"serving/op_{number}.py", 8)
    _pair()
    _drafts(source)
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
        registers=24,
        spilled_bytes=0,
    )
    make.a_fingerprint(kernel=kernel, placed=True, compared_with=make.sha("benchmarks"))
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
        parameters=[
            {
                "name": name,
                "annotation": "tl.constexpr" if name.isupper() else None,
                "default": None,
                "constexpr": name.isupper(),
            }
            for name in ROTARY_PARAMETERS
        ],
        kind_evidence=[
            {
                "says": "element-wise",
                "rule": "no-reduction",
                "line": 35,
                "text": "x0 * cos - x1 * sin",
            }
        ],
    )
    kernel.refresh_from_db()
    there = make.a_source_file(repository=copy, path="serving/kernels/rope.py")
    make.a_provenance(kernel=kernel, source_file=there, start_line=40, end_line=72)
    run = make.a_validation_run(
        device="compiler",
        environment={"triton": "3.9.0", "target": "cuda:90"},
        state="succeeded",
        finished_at=timezone.now(),
    )
    make.a_validation_result(
        run=run,
        kernel=kernel,
        seconds=0.3,
        message="compiles (triton 3.9.0, sm_90, signature out_ptr: *fp32, x_ptr: *fp32, …)",
    )
    make.a_finding(kernel=kernel, gate="length", passed=True)
    make.a_finding(
        kernel=kernel, gate="magic-numbers", passed=False, message="Two numbers have no name."
    )
    _twin(kernel, copy)
    return kernel


def _twin(kernel: Kernel, repository: Repository) -> None:
    """A near twin in other names, and with one line more."""
    renamed = {"inside": "keep", "left": "lo", "right": "hi", "cols": "col_ids", "half": "dim"}
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
        slug="add-fp32",
        entry_point=ADD.entry_point,
        python_code=ADD.python_code,
        triton_code=ADD.triton_code,
        test_code=ADD.test_code,
        origin="manual",
        license=License.objects.get(expression="BSD-3-Clause"),
        license_verdict="permissive",
        tags=["vector-addition"],
    )
    make.a_fingerprint(pair=pair, placed=True, compared_with=make.sha("benchmarks"))
    run = make.a_validation_run(
        environment={"gpu": "none", "torch": "2.13.0", "triton": "3.9.0", "python": "3.11.7"},
        state="succeeded",
        finished_at=timezone.now(),
    )
    result = make.a_validation_result(
        run=run,
        pair=pair,
        seconds=4.2,
        message="5 checks pass",
        figures={
            "cases": 25,
            "max_abs_error": 9.5e-7,
            "share_of_allowed": 0.31,
            "seconds": {"load": 0.81, "accuracy": 1.42, "variations": 1.67, "total": 4.2},
        },
    )
    for name, message, figures in CHECKS:
        make.a_validation_check(result=result, name=name, message=message, figures=figures)
    return pair


def _drafts(source: Repository) -> None:
    """Three that drafting could not finish, for one reason each."""
    for operation, reason, sentence, texts in (
        (
            "ScaledAdd",
            "inputs-not-standalone",
            "What makes the inputs does not stand alone (test_scaled_add of "
            "tests/test_scaled_add.py). einx is imported from nowhere.",
            (ADD.python_code, ADD.triton_code, ""),
        ),
        ("rotate", "no-test", "No test was found that uses rotate.", ("", ROTARY + LAUNCHER, "")),
        (
            "softmax",
            "no-launcher",
            "Nothing in the repository launches softmax from the host.",
            ("", "", ""),
        ),
    ):
        make.a_draft(
            repository=source,
            path=f"fast_attention/ops/{operation.lower()}.py",
            operation=operation,
            reason=reason,
            missing=[sentence],
            python_code=texts[0],
            triton_code=texts[1],
            test_code=texts[2],
            entry_point=f"run_{operation.lower()}",
            provenance={"lines": "21-38", "commit": "0251105a" + "c" * 32,
                        "url": "https://github.com/orbit-lab/fast-attention",
                        "license": "BSD-3-Clause"},
        )  # fmt: skip


def remember() -> None:
    """A past for the house: weeks of decisions by three people, a second look, exports."""
    ada, bob = (make.a_reviewer(username=name) for name in ("ada", "bob"))
    waiting = Kernel.objects.filter(name__startswith="scale_kernel")
    for number, kernel in enumerate(waiting.order_by("pk")[:14]):
        good = number % 4 != 3
        made = decide(
            item=kernel,
            status=Status.APPROVED if good else Status.REJECTED,
            version=kernel.version,
            user=ada if number % 3 else bob,
            request=uuid.uuid4(),
            reasons=[] if good else ["Trivial"],
            comment="Clear, and well masked." if number % 5 == 0 else "",
        )
        when = timezone.now() - timedelta(days=(number * 5) % 12, hours=number)
        # A decision is written once; only a past that never was may be moved.
        QuerySet(Decision).filter(pk=made.pk).update(created_at=when)
        if number < 4:
            # The settings may have drawn it already.
            review = SecondReview.objects.filter(first=made).first()
            second.give(
                review=review or make.a_second_review(first=made),
                user=bob if made.user == ada else ada,
                status=Status.REJECTED if number == 2 else Status(made.status),
                request=uuid.uuid4(),
            )
    make.an_export_run(name="2026.11", state="succeeded", requested_by=ada, archive="a.tar.gz",
                       sha256=make.sha("a.tar.gz"), release=make.a_release(name="2026.11"),
                       finished_at=timezone.now(), message="11 kernels in 3 files.")  # fmt: skip
    make.an_export_run(state="failed", requested_by=bob, finished_at=timezone.now(),
                       message="There is no kernel that fits license=Zlib.")  # fmt: skip
    make.a_saved_view(
        user=User.objects.get(username="curator"), name="softmax", query="operation=softmax"
    )
    keep(dashboard.NAME, dashboard.gather())
