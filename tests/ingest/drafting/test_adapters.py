"""Operator libraries are read by their adapters."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ingest.drafting import Outcome, draft
from ingest.drafting.adapters.blocks import fold
from ingest.drafting.adapters.pointwise import NotWritable, read_pointwise
from ingest.drafting.adapters.tuned import write_configurations
from ingest.extract import MemoryTree
from tests.ingest.drafting.operators import ADD, EXP, FILES, TEST_HEAD
from tests.ingest.drafting.repositories import cases, function


def drafted(test: str, name: str) -> Outcome:
    """Draft one operation of the miniature library from the body of a test file."""
    files = {**FILES, "tests/test_ops.py": TEST_HEAD + textwrap.dedent(test)}
    outcomes = draft(MemoryTree({path: text.encode() for path, text in files.items()}))
    (outcome,) = [outcome for outcome in outcomes if outcome.operation.name == name]
    assert outcome.missing is None, outcome.sentence
    return outcome


def texts(outcome: Outcome) -> tuple[str, str, str]:
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

    # A function that rounds once needs no wider type.
    assert "return torch.exp(inp)\n" in python
    assert "flag_gems" not in python + triton + test
    assert "logg" not in triton
    assert '"""Compute the exponential of each element."""\n    dtype = ' in triton
    assert "launch" not in triton
    assert {str(case["shape"]) for case in cases(test)} <= {"(4, 8)", "(5, 37)"}
    assert "manual_seed(0)" not in test


def test_an_element_wise_operation_is_written_as_kernel_and_launcher() -> None:
    _, triton, _ = texts(drafted(TEST_ADD, "add_func"))

    assert function(triton, "compute_add") == function(
        ADD.replace("add_func(x", "compute_add(x"), "compute_add"
    ).replace("@pointwise_dynamic(is_tensor=[True, True, False], promotion_methods=[(0, 1, "
              "'DEFAULT')])\n", "")  # fmt: skip
    launcher = function(triton, "add")
    assert "dtype = torch.result_type(first, second)" in launcher
    assert "first, second = torch.broadcast_tensors(first, second)" in launcher
    assert "out = torch.empty(first.shape, dtype=dtype, device=first.device)" in launcher
    assert "copy_" not in launcher


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
    assert "configs=MEAN_CONFIGS if torch.cuda.is_available() else MEAN_CONFIGS[:1]" in triton
    assert "mask = (rows < m) & (columns < n)" in triton
    assert "libentry" not in triton
    assert "with " not in triton


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
    names = ("python_code.py", "triton_code.py", "test_code.py")
    for file, text in zip(names, texts(drafted(test, name)), strict=True):
        (tmp_path / file).write_text(text)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "test_code.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout


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
        read_pointwise(scalar, call, "compute_add", in_place=False)
