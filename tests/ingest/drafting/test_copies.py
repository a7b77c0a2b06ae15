"""A side copies its inputs only if something writes to them."""

from __future__ import annotations

import textwrap

import pytest

from ingest.drafting.conversions import drop_detached
from ingest.drafting.copies import drop_copies

LAUNCHER = """
@triton.jit
def _store(pointer, value):
    tl.store(pointer, value)


@triton.jit
def kernel(x_ptr, out_ptr, n):
    offsets = x_ptr + tl.arange(0, 16)
    x = tl.load(offsets)
    _store(out_ptr + n, x)


@input_guard
def launch(x, state, out=None, **kwargs):
    rows = x.shape[0]
    x = x.view(-1)
    written = state if rows else x.new_empty(3)
    kernel[(rows,)](x, written, rows)
    return written
"""


def entry(body: str, parameters: str = "x, state, flag") -> str:
    return f"{LAUNCHER}\n\ndef entry({parameters}):\n{textwrap.indent(body, '    ')}"


def body_of(text: str) -> str:
    return textwrap.dedent(text.partition("def entry(")[2].partition("\n")[2])


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        # A kernel writes to the state, and reads x.
        (
            "return launch(x.clone(), state=state.clone())\n",
            "return launch(x, state=state.clone())\n",
        ),
        ("first = x.clone()\nreturn launch(first, None)\n", "return launch(x, None)\n"),
        ("x = x.clone()\ny = launch(x, None)\nreturn y\n", "y = launch(x, None)\nreturn y\n"),
        (
            "y = x.clone() if x is not None else None\nz = None if flag is None else flag.clone()\n"
            "return launch(y, None, z)\n",
            "return launch(x, None, flag)\n",
        ),
        ("return F.relu(x.clone().float())\n", "return F.relu(x.float())\n"),
        # The name that is written to holds another tensor.
        (
            "y = launch(x.clone(), None)\nstate, x = x, torch.empty_like(x)\nx.zero_()\nreturn y\n",
            "y = launch(x, None)\nstate, x = x, torch.empty_like(x)\nx.zero_()\nreturn y\n",
        ),
    ],
)
def test_a_copy_of_an_input_that_nothing_writes_to_goes(written: str, kept: str) -> None:
    assert body_of(drop_copies(entry(written), "entry")) == kept


@pytest.mark.parametrize(
    "written",
    [
        "out = x.clone()\nout[0] = 1\nreturn out\n",
        "out = x.clone()\nout += 1\nreturn out\n",
        "out = x.clone().view(-1)\nout.add_(1)\nreturn out\n",
        "return torch.relu_(x.clone())\n",
        "torch.exp(x, out=state.clone())\nreturn x\n",
        "return x.clone()\n",
        "return unknown(x.clone())\n",
        "y = [part for part in (x.clone(),)]\nfor part in y:\n    part.mul_(2)\nreturn y\n",
        "other = launch\nreturn other[(1,)](x.clone(), state)\n",
        "y = launch(x, state.clone())\ny.zero_()\nreturn y\n",
    ],
)
def test_a_copy_stays_if_something_writes_to_it_or_may_do_so(written: str) -> None:
    assert drop_copies(entry(written), "entry") == entry(written)


def test_a_side_with_a_backward_pass_keeps_its_copies() -> None:
    text = entry("return launch(x.clone(), None)\n") + "\n\ndef backward(ctx, grad):\n    pass\n"

    assert drop_copies(text, "entry") == text


BACKWARD = """

class Launch(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = launch(x, torch.empty_like(x))
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        launch(grad, {written})
        return grad
"""


@pytest.mark.parametrize(
    ("written", "argument"), [("torch.empty_like(x)", "x"), ("x", "x.clone()")]
)
def test_a_copy_stays_if_the_backward_pass_writes_to_what_is_saved(
    written: str, argument: str
) -> None:
    text = entry("return Launch.apply(x.clone())\n").replace(
        "\n\ndef entry", BACKWARD.replace("{written}", written) + "\n\ndef entry"
    )

    assert body_of(drop_copies(text, "entry")) == f"return Launch.apply({argument})\n"


def test_the_result_of_an_autograd_function_is_no_input() -> None:
    text = entry("y = Launch.apply(x.clone())\ny += 1\nreturn y\n").replace(
        "\n\ndef entry", BACKWARD.replace("{written}", "torch.empty_like(x)") + "\n\ndef entry"
    )

    assert body_of(drop_copies(text, "entry")) == "y = Launch.apply(x)\ny += 1\nreturn y\n"


def test_a_kernel_that_a_condition_chooses_is_followed() -> None:
    text = entry(
        "chosen = kernel if state is None else kernel\n"
        "out = torch.empty_like(x)\nchosen[(1,)](x.clone(), out, 3, num_warps=4)\nreturn out\n"
    )

    assert "chosen[(1,)](x, out, 3, num_warps=4)" in drop_copies(text, "entry")


def test_whole_numbers_are_not_detached() -> None:
    text = entry("target = target.detach()\nx = x.detach()\nreturn x, target\n", "x, target")
    test = (
        "def make_inputs(case, device):\n    x = torch.randn(3)\n"
        "    target = torch.randint(0, 3, (3,))\n    return (x, target)\n"
    )

    assert body_of(drop_detached(text, "entry", test)) == "x = x.detach()\nreturn x, target\n"


@pytest.mark.parametrize(
    ("made", "detached"),
    [
        ("torch.randint(0, 3, (3,), dtype=torch.long)", False),
        ("torch.ones(3, dtype=torch.int32)", False),
        ("torch.cat([torch.tensor([0])] + [torch.randint(0, 3, (1,)).clamp(min=1)])", False),
        ("torch.randint(0, 3, (3,)) + 1", False),
        ("torch.randint(0, 3, (3,), dtype=torch.float32)", True),
        ("torch.randint(0, 3, (3,)).float()", True),
        ("torch.cat((torch.ones(1), torch.randint(0, 3, (1,))))", True),
        ("torch.randint(0, 3, (3,)) / 2", True),
    ],
)
def test_whole_numbers_are_found_by_their_making(made: str, detached: bool) -> None:
    text = entry("target = target.detach()\nreturn x, target\n", "x, target")
    test = f"def make_inputs(case, device):\n    target = {made}\n    return (x, target)\n"

    assert ("detach" in drop_detached(text, "entry", test)) is detached


def test_the_forward_pass_of_a_module_tells_what_it_writes_to() -> None:
    module = """

class Norm(nn.Module):
    def forward(self, x, state=None):
        if state is not None:
            state += 1
        return torch.exp(x)
"""
    text = entry("norm = Norm().to(x.device)\nreturn norm(x.clone(), state=state.clone())\n")

    assert body_of(
        drop_copies(text.replace("\n\ndef entry", f"{module}\n\ndef entry"), "entry")
    ) == ("norm = Norm().to(x.device)\nreturn norm(x, state=state.clone())\n")
