"""Code that no machine of a pair runs goes, and the rest computes the same."""

from __future__ import annotations

import textwrap

import pytest

from ingest.drafting.conversions import drop_requirements
from ingest.drafting.dead_branches import remove_dead_branches
from ingest.drafting.environment import remove_switches
from ingest.drafting.fixed_arguments import fix_arguments
from ingest.drafting.folding import fold_function


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


BRANCHES = text(
    """
    FLAG = False


    def entry(x, wide):
        FLAG = None
        if wide:
            y = 1
        elif {test}:
            y = 2
        else:
            y = 3
        return y
    """
)


@pytest.mark.parametrize(("test", "kept"), [("FLAG", 3), ("not FLAG", 2)])
def test_a_branch_behind_another_becomes_its_else(test: str, kept: int) -> None:
    code = BRANCHES.replace("    FLAG = None\n", "").replace("{test}", test)

    assert f"    if wide:\n        y = 1\n    else:\n        y = {kept}\n" in remove_switches(code)


@pytest.mark.parametrize(("test", "kept"), [("FLAG is not None", 3), ("FLAG is None", 2)])
def test_a_folded_branch_behind_another_becomes_its_else(test: str, kept: int) -> None:
    code = BRANCHES.replace("{test}", test)

    folded = fold_function(code, "entry", {})

    assert f"    if wide:\n        y = 1\n    else:\n        y = {kept}\n" in folded


def test_a_chain_of_branches_lacks_the_one_that_is_never_taken() -> None:
    code = BRANCHES.replace("{test}", "FLAG is not None").replace("else:", "elif x:")

    folded = fold_function(code, "entry", {})

    assert "    if wide:\n        y = 1\n    elif x:\n        y = 3\n" in folded


def test_the_machine_is_of_no_other_vendor() -> None:
    code = text(
        """
        import torch


        def is_hip():
            return torch.cuda.is_available() and torch.version.hip is not None


        def launch(x):
            if is_hip():
                options = {"kpack": 2}
            else:
                options = {}
            if x.device.type == "xpu":
                options["grf_mode"] = "large"
            stages = 1 if is_hip() else 2
            return options, stages
        """
    )

    kept = remove_dead_branches(code)

    assert "kpack" not in kept
    assert "grf_mode" not in kept
    assert "    options = {}\n" in kept
    assert "stages = 1 if False else 2" in kept


def test_no_other_process_takes_part() -> None:
    code = text(
        """
        def amax(x, shared):
            if shared and dist.is_initialized():
                x = all_reduce(x)
            return x
        """
    )

    assert remove_dead_branches(code) == "def amax(x, shared):\n    return x\n"


def test_an_import_that_triton_has_needs_no_other() -> None:
    code = text(
        """
        try:
            # typical path
            from triton.language.extra.libdevice import rsqrt
        except ModuleNotFoundError:
            from triton.language.extra.cuda.libdevice import rsqrt
        """
    )

    assert remove_dead_branches(code) == "from triton.language.extra.libdevice import rsqrt\n"


def test_a_value_is_folded_before_its_name_is_bound_anew() -> None:
    code = text(
        """
        def entry(x):
            out = None
            out = torch.empty(3) if out is None else out.contiguous()
            if out is not None and out is not out:
                out = out.copy_(out)
            return out
        """
    )

    folded = fold_function(code, "entry", {})

    assert "    out = torch.empty(3)\n" in folded
    assert "copy_" not in folded


def test_a_last_argument_that_is_the_default_goes() -> None:
    code = text(
        """
        def helper(x, scale, keep, normed=False, places=None):
            if normed:
                x = norm(x)
            if places is not None:
                x = x[places]
            return x * scale


        def entry(x):
            return helper(x, 2, True, False, None)
        """
    )

    fixed = fix_arguments(code, "entry")

    assert "def helper(x, scale):\n    return x * scale\n" in fixed
    assert "return helper(x, 2)\n" in fixed


def test_inputs_without_gradients_require_none() -> None:
    code = "def made(n):\n    return tuple(x.requires_grad_() for x in xs)\n"

    assert drop_requirements(code) == "def made(n):\n    return tuple(xs)\n"
    assert drop_requirements("x = torch.randn(3).requires_grad_()\n") == "x = torch.randn(3)\n"
