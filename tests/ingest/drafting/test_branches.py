"""Code that no machine of a pair runs goes, and the rest computes the same."""

from __future__ import annotations

import textwrap

from ingest.drafting.conversions import drop_requirements
from ingest.drafting.dead_branches import remove_dead_branches


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


def test_inputs_without_gradients_require_none() -> None:
    code = "def made(n):\n    return tuple(x.requires_grad_() for x in xs)\n"

    assert drop_requirements(code) == "def made(n):\n    return tuple(xs)\n"
    assert drop_requirements("x = torch.randn(3).requires_grad_()\n") == "x = torch.randn(3)\n"
