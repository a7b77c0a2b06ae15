"""Operator libraries are read by their adapters."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from ingest.drafting import DraftOutcome, draft
from ingest.drafting.adapters.adapter import RegisteredLauncher, read_stand_in
from ingest.drafting.adapters.blocks import fold
from ingest.drafting.adapters.launchers import Launchers
from ingest.drafting.adapters.pointwise import NotWritable, read_pointwise, write_pointwise
from ingest.drafting.adapters.tuned import write_configurations
from ingest.extract import MemoryTree
from ingest.simplified_drafts import simplified
from tests.ingest.drafting.operators import EXP, FILES, TEST_HEAD
from tests.ingest.drafting.repositories import cases, outcomes_of
from tests.validation.pairs.test_library import assert_records_pass
from validation.observing.simplify import simplifier


def drafted(test: str, name: str) -> DraftOutcome:
    """Draft one operation of the miniature library from the body of a test file."""
    files = {**FILES, "tests/test_ops.py": TEST_HEAD + textwrap.dedent(test)}
    outcomes = outcomes_of(files)
    (outcome,) = [outcome for outcome in outcomes if outcome.operation.name == name]
    assert outcome.missing is None, outcome.sentence
    return outcome


def texts(outcome: DraftOutcome) -> tuple[str, str, str]:
    assert outcome.draft is not None
    written = outcome.draft.texts
    return written.python_code, written.triton_code, written.test_code


TEST_EXP = """
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_exp(shape, dtype):
    if flag_gems.vendor_name == "other":
        torch.manual_seed(0)
    inp = torch.randn(shape, dtype=dtype, device=flag_gems.device)
    ref_inp = to_reference(inp, True)
    ref_out = torch.exp(ref_inp)
    with flag_gems.use_gems():
        res_out = torch.exp(inp)
    gems_assert_close(res_out, ref_out, dtype)
"""
TEST_ADD = """
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("alpha", [2])
def test_add(shape, alpha):
    first = torch.randn(shape, device=flag_gems.device)
    second = torch.randn(shape[-1:], device=flag_gems.device)
    ref_out = torch.add(to_reference(first), to_reference(second), alpha=alpha)
    with flag_gems.use_gems():
        res_out = torch.add(first, second, alpha=alpha)
    gems_assert_close(res_out, ref_out, torch.float32)
"""
TEST_MEAN = """
@pytest.mark.parametrize("shape", SHAPES)
def test_mean(shape):
    inp = torch.randn(shape, device=flag_gems.device)
    ref_out = torch.mean(to_reference(inp, True), 1)
    with flag_gems.use_gems():
        res_out = torch.mean(
            inp,
            1,
        )
    gems_assert_close(res_out, ref_out, torch.float32, reduce_dim=shape[1])
"""
TEST_LERP = """
@pytest.mark.parametrize("shape", SHAPES)
def test_lerp(shape):
    start = torch.randn(shape, device=flag_gems.device)
    end = torch.randn(shape, device=flag_gems.device)
    weight = float(np.float32(0.25))
    ref_out = torch.lerp(start, end, weight)
    with flag_gems.use_gems():
        res_out = torch.lerp(start, end, weight=weight)
    gems_assert_close(res_out, ref_out, torch.float32)
"""
TEST_CUMMAX = """
def test_cummax():
    x = torch.randn(37, device=flag_gems.device)
    ref_out = torch.cummax(x, dim=0)
    with flag_gems.use_gems():
        res_out = torch.cummax(x, dim=0)
    gems_assert_close(res_out.values, ref_out.values, torch.float32)
    gems_assert_close(res_out.indices, ref_out.indices, torch.int64)
"""


def test_torch_inside_of_the_librarys_context_is_its_registered_launcher() -> None:
    python, triton, test = texts(drafted(TEST_EXP, "exp_func"))

    assert "flag_gems" not in python + triton + test
    assert "logg" not in triton
    assert '"""Compute the exponential of each element."""\n' in triton
    assert {str(case["shape"]) for case in cases(test)} <= {"(4, 8)", "(5, 37)"}
    assert "manual_seed(0)" not in test


def test_an_operation_that_some_call_tells_where_to_write_takes_the_place() -> None:
    in_place = TEST_EXP.replace("torch.exp(inp)", "torch.exp_(inp.clone())")
    _, triton, _ = texts(drafted(in_place, "exp_func"))

    assert "def exp_func(x, out0=None):" in triton
    assert "torch.get_default_dtype()" in triton


def test_places_of_written_kernels_are_those_of_the_author() -> None:
    outcome = drafted(TEST_EXP, "exp_func")

    (kernel,) = outcome.operation.kernels
    lines = EXP.split("\n")
    assert lines[kernel.start_line - 1].startswith("@pointwise_dynamic")
    assert kernel.qualname == "exp_func"


def test_an_overload_is_chosen_by_what_its_arguments_hold() -> None:
    _, triton, test = texts(drafted(TEST_LERP, "lerp_scalar_func"))

    assert "lerp_scalar(" in triton
    assert "lerp_tensor" not in triton
    # The interpreter hands a number over as Python's, which has no type to convert.
    assert "compute_lerp_scalar(start, end, tl.to_tensor(weight))" in triton
    assert "numpy" not in test


def test_tuned_configurations_and_heuristics_are_written_out() -> None:
    _, triton, _ = texts(drafted(TEST_MEAN, "mean_dim"))

    assert 'triton.Config({"ROWS": 2}, num_warps=8),\n]' in triton
    assert 'MEAN_HEURISTICS = {\n    "COLUMNS": mean_heur_columns,\n}' in triton
    assert "configs=MEAN_CONFIGS," in triton
    assert "mask = (rows < m) & (columns < n)" in triton
    assert "libentry" not in triton
    assert "with " not in triton


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "name"),
    [
        (TEST_EXP, "exp_func"),
        (TEST_ADD, "add_func"),
        (TEST_LERP, "lerp_scalar_func"),
        (TEST_CUMMAX, "cummax"),
        (TEST_MEAN, "mean_dim"),
    ],
)
def test_the_drafts_pass_in_the_interpreter(test: str, name: str, tmp_path: Path) -> None:
    pytest.importorskip("triton")
    with simplifier() as simplify:
        (outcome,) = simplified([drafted(test, name)], simplify)
    names = ("python_code", "triton_code", "test_code")
    record = {"id": name, **dict(zip(names, texts(outcome), strict=True))}

    assert_records_pass([record], tmp_path)


def test_a_branch_that_constants_exclude_goes_and_the_lines_stay() -> None:
    text = (
        "if vendor == 'a':\n    x = 1\n    y = 2\nelif size:\n    x = 3\nelse:\n    x = 4\nz = x\n"
    )

    folded = fold(text, {"vendor": "b"})

    assert folded == "\n\n\nif size:\n    x = 3\nelse:\n    x = 4\nz = x\n"


@pytest.mark.parametrize("condition", ["a.device != b.device", "rate > 0.0", "x is None"])
def test_a_whole_condition_may_be_a_constant(condition: str) -> None:
    folded = fold(f"if {condition}:\n    x = 1\nelse:\n    x = 2\n", {condition: False})

    assert folded == "\n\n\nx = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        "mean: [{META: {A: 1}, num_warps: 4",
        "- 1",
        "mean: 3",
        "mean: [3]",
        "'a b': [{META: {A: 1}}]",
    ],
)
def test_settings_of_another_form_give_no_configurations(text: str) -> None:
    assert write_configurations(text) == {}


def test_more_configurations_than_can_be_tried_leave_the_first() -> None:
    text = "mean:\n" + "- META: {ROWS: 1}\n  num_warps: 4\n" * 17

    assert write_configurations(text)["mean"].count("triton.Config") == 1


@pytest.mark.parametrize(
    "decorator",
    [
        "pointwise_dynamic",
        "pointwise_dynamic(promotion_methods=METHODS)",
        "pointwise_dynamic(is_tensor=[True], promotion_methods=[(0, 'DEFAULT')])",
        "pointwise_dynamic(promotion_methods=[(2, 'DEFAULT')])",
    ],
)
def test_a_decorator_that_is_not_understood_is_not_guessed(decorator: str) -> None:
    (scalar,) = ast.parse("def add(x, y):\n    return x + y\n").body
    call = ast.parse(decorator, mode="eval").body

    assert isinstance(scalar, ast.FunctionDef)
    with pytest.raises(NotWritable):
        read_pointwise(scalar, call, "compute_add", "add_kernel", in_place=False)


def test_a_kept_branch_keeps_the_decorators_of_its_functions() -> None:
    text = "if fast:\n    x = 1\nelse:\n    @jit\n    def f(x): return x\n"

    assert fold(text, {"fast": False}).strip() == "@jit\ndef f(x): return x"


LINEAR_ATTENTION = {
    "fla/__init__.py": "",
    "fla/utils/__init__.py": "from ._decorators import cached, input_guard, tensor_cache\n"
    "from ._device import IS_AMD, check_shared_mem\n",
    "fla/utils/_decorators.py": "import torch\n\n\ndef tensor_cache(f):\n    return f\n\n\n"
    "def input_guard(f):\n    return torch.cuda.device(0)(f)\n\n\ncached = tensor_cache\n",
    "fla/utils/_device.py": "import platform\n\nIS_AMD = platform.machine() == 'amd'\n\n\n"
    "def check_shared_mem(arch='none', index=0):\n    return platform.machine() == arch\n",
    "fla/ops.py": """
import torch
import triton
import triton.language as tl

from fla.utils import IS_AMD, check_shared_mem, input_guard, tensor_cache

WARPS = [2] if IS_AMD else [4]


@triton.jit
def twice_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


@tensor_cache
def block_of(x):
    return 32 if check_shared_mem("hopper") else 16


class Twice(torch.autograd.Function):
    @staticmethod
    @input_guard
    def forward(ctx, x):
        out = torch.empty_like(x)
        block = block_of(x)
        grid = (triton.cdiv(x.numel(), block),)
        twice_kernel[grid](x, out, x.numel(), BLOCK=block, num_warps=WARPS[0])
        return out
""",
    "tests/test_ops.py": """
import torch

from fla.ops import Twice


def test_twice():
    x = torch.randn(37, device="cuda")
    assert torch.allclose(Twice.apply(x), x + x)
""",
}


def test_an_adapter_stands_in_for_questions_about_other_machines() -> None:
    tree = MemoryTree({path: text.encode() for path, text in LINEAR_ATTENTION.items()})
    (outcome,) = draft(tree)

    _, triton, _ = texts(outcome)
    assert outcome.missing is None, outcome.sentence
    assert "platform" not in triton
    assert "tensor_cache" not in triton
    assert "WARPS = [4]" in triton
    assert "shared_memory_per_block_optin >= needed" in triton
    assert '"""Call a function with contiguous tensors' in triton


def launched(written: str, before: str = "", **launcher: str) -> str:
    """Return a call of torch as the call of a launcher `f(x, y=None, *, alpha=1)`."""
    head = ast.parse("lambda x, y=None, *, alpha=1: 0", mode="eval").body
    assert isinstance(head, ast.Lambda)
    known = {"operation": "add", "overload": "", "path": "f", **launcher}
    text = f"def test():\n    {before or 'pass'}\n    {written}\n"
    return Launchers([RegisteredLauncher(arguments=head.args, **known)]).write(text, [(3, 3)])


def test_a_launcher_that_takes_a_list_gets_one() -> None:
    call = "f({x}, {y:list})"

    assert launched("torch.add(a, 1)", call=call).endswith("f(a, [1])\n")
    assert launched("torch.add(a, [1, 2])", call=call).endswith("f(a, [1, 2])\n")
    assert launched("torch.add(a, n)", call=call).endswith(
        "f(a, [n] if isinstance(n, int) else n)\n"
    )


def test_a_factor_in_a_tensor_is_given_as_a_number() -> None:
    made = "c = torch.randn(())"

    assert launched("torch.add(a, b, alpha=c)", made).endswith("f(a, b, alpha=c.item())\n")
    assert launched("torch.add(a, b, alpha=2)", made).endswith("f(a, b, alpha=2)\n")


def test_a_call_of_another_overload_stays_torchs() -> None:
    made = "b = torch.randn(3)"

    assert launched("torch.add(a, b)", made, overload="Scalar").endswith("torch.add(a, b)\n")
    assert launched("torch.add(a, b)", made, overload="Tensor").endswith("f(a, b)\n")


def test_an_operation_may_name_its_output_as_its_callers_do() -> None:
    (scalar,) = ast.parse("def shift(x, y):\n    return x << y\n").body
    call = ast.parse("pointwise_dynamic(promotion_methods=[(0, 1, 'DEFAULT')])", mode="eval").body

    assert isinstance(scalar, ast.FunctionDef)
    op = read_pointwise(scalar, call, "compute_shift", "shift_kernel", in_place=True)
    assert "def shift(x, y, out0=None):" in write_pointwise(op)
    assert "def shift(x, y, out=None):" in write_pointwise(replace(op, outputs=("out",)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("div_rn(x, y)", [1 / 3, -1 / 3, 3.5, 0.0]),
        ("div_rz(x, y)", [0.3333333134651184, -0.3333333134651184, 3.5, 0.0]),
        ("trunc(div_rz(x, y))", [0.0, 0.0, 3.0, 0.0]),
        ("fmod(x, y)", [1.0, -1.0, 1.0, 0.0]),
        ("div_rn(1.0, y)", [1 / 3, 1 / 3, 0.5, 1 / 7]),
    ],
)
def test_the_interpreter_divides_as_libdevice_does(
    expression: str, expected: list[float], tmp_path: Path
) -> None:
    pytest.importorskip("triton")
    program = f"""{read_stand_in("flag_gems/division.py")}
import torch

@triton.jit
def kernel(x_ptr, y_ptr, out_ptr):
    places = tl.arange(0, 4)
    x = tl.load(x_ptr + places)
    y = tl.load(y_ptr + places)
    tl.store(out_ptr + places, {expression})

x = torch.tensor([1.0, -1.0, 7.0, 0.0])
y = torch.tensor([3.0, 3.0, 2.0, 7.0])
out = torch.empty(4)
kernel[(1,)](x, y, out)
print(out.tolist())
"""
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ast.literal_eval(done.stdout) == pytest.approx(
        expected, rel=1e-9 if "rz" in expression else 1e-7
    )


def test_the_stand_in_for_a_guard_takes_a_static_method() -> None:
    names: dict[str, Any] = {"torch": torch}
    exec(read_stand_in("flash_linear_attention/decorators.py"), names)  # noqa: S102
    strides = names["input_guard"](staticmethod(lambda x, scale: (x.stride(), scale)))

    assert strides(torch.zeros(2, 3).T, scale=2) == ((2, 1), 2)
