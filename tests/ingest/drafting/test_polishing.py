"""A whole draft leaves out code that its reader does not need."""

from __future__ import annotations

import textwrap

from ingest.drafting.reading.naming import is_part, plain_name
from ingest.drafting.reading.sentences import describe_names, find_sentence
from ingest.drafting.writing.layout import wrap_lines
from ingest.drafting.writing.parameter_names import name_locals, name_parameters
from tests.ingest.drafting.repositories import whole


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


IN_HALF = """
CASES = [{"n": 3, "dtype": "float16"}]

    x = torch.randn(n, dtype=dtype)
    y = torch.randn_like(x)
    counts = torch.randint(0, 3, (n,))
"""


def test_parameters_do_not_tell_of_a_side() -> None:
    python = "def entry(res_a, _tensor, ref_x, x):\n    return res_a + _tensor\n"
    triton = (
        "def entry(res_a, _tensor, ref_x, x):\n    a = 1\n    return f(res_a, weight=_tensor)\n"
    )

    named = name_parameters(python, triton, "entry")

    assert named[0] == "def entry(res_a, tensor, ref_x, x):\n    return res_a + tensor\n"
    assert named[1].startswith("def entry(res_a, tensor, ref_x, x):")
    assert "weight=tensor" in named[1]


def test_a_call_that_is_too_long_for_a_line_has_an_argument_a_line() -> None:
    arguments = ", ".join(f"argument_{number}=value_{number}" for number in range(6))
    code = f"def entry(x):\n    return torch.function({arguments}).to(x.dtype)\n"

    wrapped = wrap_lines(code, "entry")

    assert "    return torch.function(\n        argument_0=value_0,\n" in wrapped
    assert wrapped.endswith("        argument_5=value_5,\n    ).to(x.dtype)\n")
    assert max(map(len, wrapped.split("\n"))) <= 100


def test_an_operation_without_an_authors_sentence_has_that_of_the_vocabulary() -> None:
    assert plain_name("pow_func_tensor_scalar") == "pow_tensor_scalar"
    assert plain_name("LigerDyTFunction") == "dyt"
    assert describe_names(["logical_or_func"]) == "Compute the logical OR of two tensors."
    assert describe_names(["unheard_of", "ChunkKDAFunction"]) == (
        "Compute Kimi delta attention chunk by chunk."
    )
    assert describe_names(["chunk_gated_delta_rule_bwd"]) == (
        "Compute the gradients of the gated delta rule chunk by chunk."
    )
    assert describe_names(["unheard_of"]) == ""


def test_a_later_sentence_of_a_docstring_may_say_what_is_computed() -> None:
    source = 'def f():\n    """Torch baseline of it.\n\n    Computes the sum. Slowly.\n    """\n'

    assert find_sentence(source) == "Compute the sum."


FUNCTION = """
class Twice(torch.autograd.Function):
    @staticmethod
    @input_guard
    def forward(ctx, x, scale=2):
        # Kept.
        ctx.save_for_backward(x)
        if scale:
            ctx.scale = scale
        return launch(x, scale)


twice = Twice.apply


def entry(x):
    return twice(x)
"""


MADE = """
if dtype in FLOATS:
    x = torch.randn(n, dtype=dtype)
elif dtype in INTEGERS:
    x = torch.ones(n, dtype=dtype)
elif dtype == torch.bool:
    x = torch.zeros(n, dtype=dtype)
y = x if kind == "usual" else -x
if n > 2:
    z = y
if unknown:
    z = y
"""


def test_a_draft_says_what_it_computes_in_both_sides_and_in_the_test() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device="cuda")
            assert torch.allclose(doubled(x), torch.square(x))
        """
    )

    assert draft.sentence == "Compute the square of each element."
    for code in (draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code):
        assert f'"""{draft.sentence}"""' in code


MODULE = """
import torch
import torch.nn as nn


class Scaling(nn.Module):
    def __init__(self, size, factor=2, label="scaling"):
        super(Scaling, self).__init__()
        assert size > 0
        self.weight = nn.Parameter(torch.ones(size))
        self.factor = factor
        self.label = label

    def forward(self, x, mask=None):
        assert x.dim() > 0, f"{self.label} of nothing"
        return scaled(x, self.weight, self.factor, mask)


def entry(x, w):
    layer = Scaling(x.shape[-1], factor=3).to(x.device)
    out = torch.func.functional_call(layer, {"weight": w}, (x,))
    return out
"""


NORM = """
import torch
import torch.nn as nn


class Norm(nn.RMSNorm):
    def __init__(self, size, eps=1e-6, affine=True, kind="plain"):
        super().__init__(size, eps=eps)
        self.affine = affine
        if affine:
            self.weight = nn.Parameter(torch.ones(size))
        else:
            self.register_parameter("weight", None)
        self.kind, self.offset = (kind, 0.0)

    def _scale(self, x):
        if self.kind == "plain":
            return x * self.weight
        return x * (self.offset + self.weight)

    def forward(self, x):
        if not self.affine:
            return norm(x, self.eps)
        return norm(self._scale(x), self.eps)


def entry(x):
    module = Norm(x.shape[-1]).to(x.device).to(x.dtype)
    return module(x)
"""


def test_variables_do_not_tell_of_a_side() -> None:
    code = (
        "def entry(x):\n    ref_y, out = f(x)\n    ref_out = 2 * ref_y\n    return ref_out + out\n"
    )

    assert name_locals(code, "entry") == (
        "def entry(x):\n    y, out = f(x)\n    ref_out = 2 * y\n    return ref_out + out\n"
    )


def test_answers_are_in_the_launchers_order() -> None:
    draft = whole(
        """
        def both(x):
            return doubled(x), x.shape[0] * x

        def test_doubled():
            x = torch.randn(64, device="cuda")
            y, scaled = both(x)
            assert torch.allclose(scaled, 64 * x)
            assert torch.allclose(y, x + x)
        """
    )

    assert "return doubled(x), x.shape[0] * x" in draft.texts.triton_code
    assert "return (x + x, 64 * x)" in draft.texts.python_code


def test_a_helper_of_a_launcher_does_not_name_the_operation() -> None:
    assert is_part("copy_func", "repeat_interleave_self_int", "repeat_interleave")
    assert is_part("clamp_func_max", "clamp", "clamp")
    assert not is_part("le_func_scalar", "le_scalar", "le")
    assert not is_part("add_func", "add", "add")
    assert not is_part("silu_kernel", "silu_and_mul", "")


def test_several_returned_values_stand_in_lines_of_their_own() -> None:
    first, second = (
        "a_long_name_of_a_result.to(x.dtype)",
        "another_long_name_of_a_result.to(x.dtype)",
    )
    code = f"def entry(x):\n    return ({first}, {second}, {first})\n"

    returned = "".join(f"        {each},\n" for each in (first, second, first))
    assert wrap_lines(code, "entry") == f"def entry(x):\n    return (\n{returned}    )\n"
