"""A whole draft leaves out code that its reader does not need."""

from __future__ import annotations

import ast
import textwrap

from ingest.drafting.case_branches import fold_cases
from ingest.drafting.functions import write_functions
from ingest.drafting.layout import wrap_lines
from ingest.drafting.leftovers import remove_leftovers
from ingest.drafting.module_calls import write_module_calls
from ingest.drafting.naming import is_part, plain_name
from ingest.drafting.parameter_names import drop_unused, name_locals, name_parameters
from ingest.drafting.parameter_values import DtypeName, Evaluator, NamedValue
from ingest.drafting.plain_references import simplify_reference
from ingest.drafting.sentences import describe_names, find_sentence
from ingest.drafting.wrappers import merge_wrappers
from tests.ingest.drafting.repositories import whole


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_a_function_that_passes_its_arguments_on_holds_the_called_code() -> None:
    merged = merge_wrappers(
        text(
            """
            # Scales.
            def launch(a, b, *, alpha=1, out=None):
                # Kept.
                message = f"{a.shape} and {b}"
                return kernel(a, alpha, key=b, a=a)


            def scaled(x, y):
                result = launch(x, b=y)
                return result
            """
        ),
        "scaled",
    )

    assert merged == text(
        """
        # Scales.
        def scaled(x, y):
            alpha = 1
            out = None
            # Kept.
            message = f"{x.shape} and {y}"
            return kernel(x, alpha, key=y, a=x)
        """
    )


def test_several_wrappers_are_merged_and_keep_annotations_and_docstrings() -> None:
    merged = merge_wrappers(
        text(
            """
            def inner(first: torch.Tensor):
                return first + 1


            @torch.no_grad()
            def outer(a: torch.Tensor, size: int) -> torch.Tensor:
                '''Add one.

                Args:
                    size: The size.
                '''
                return inner(a)


            def entry(x, n):
                return outer(x, n)
            """
        ).replace("'", '"'),
        "entry",
    )

    assert merged.startswith("@torch.no_grad()\ndef entry(x: torch.Tensor, n: int)")
    assert "        n: The size." in merged
    assert "return x + 1" in merged


def test_a_wrapper_stays_if_its_function_has_another_use_or_a_name_would_change_its_meaning() -> (
    None
):
    used = "def f(a):\n    return a\n\n\ng = f\n\n\ndef entry(x):\n    return f(x)\n"
    hides = "def f(a):\n    return a + x\n\n\ndef entry(x):\n    return f(x)\n"
    swapped = "def f(a, b):\n    return a - b\n\n\ndef entry(a, b):\n    return f(b, a)\n"
    decorated = "@cached\ndef f(a):\n    return a\n\n\ndef entry(x):\n    return f(x)\n"

    for kept in (used, hides, swapped, decorated):
        assert merge_wrappers(kept, "entry") == kept


IN_HALF = """
CASES = [{"n": 3, "dtype": "float16"}]

    x = torch.randn(n, dtype=dtype)
    y = torch.randn_like(x)
    counts = torch.randint(0, 3, (n,))
"""


def simplified(body: str, parameters: str = "x, y", test: str = IN_HALF) -> str:
    code = f"def entry({parameters}):\n{textwrap.indent(text(body), '    ')}"
    return textwrap.dedent(simplify_reference(code, "entry", test).partition("\n")[2])


def test_a_function_that_rounds_once_is_computed_in_the_type_of_its_inputs() -> None:
    wide = (
        "a = x.double()\nb = y.double()\nout = torch.add(a, b, alpha=2)\nreturn out.to(x.dtype)\n"
    )

    assert simplified(wide) == "return torch.add(x, y, alpha=2)\n"


def test_a_wide_type_that_counts_stays_where_it_is_used() -> None:
    product = "a = x.double()\nreturn torch.cumprod(a, 0).to(x.dtype)\n"
    floored = "return torch.div(x.double(), y.double(), rounding_mode='floor').to(x.dtype)\n"
    integers = "return torch.add(x.double(), counts.double()).to(x.dtype)\n"

    assert simplified(product) == "return torch.cumprod(x.double(), 0).to(x.dtype)\n"
    assert simplified(floored) == floored
    assert simplified(integers, "x, counts") == integers


def test_inputs_stay_wide_beside_one_that_the_test_widens() -> None:
    wide = "return torch.add(x.double(), wide_y).to(x.dtype)\n"
    test = f"{IN_HALF}    wide_y = y.double()\n"

    assert simplified(wide, "x, wide_y", test) == wide
    assert simplified(wide, "x, wide_y") == "return torch.add(x, wide_y)\n"


def test_a_reference_has_no_conversion_that_changes_nothing_and_prints_nothing() -> None:
    body = """
    print(x)
    if torch.is_tensor(y):
        out = torch.logical_or(x, y).to(torch.bool)
    else:
        out = torch.logical_or(x, y).to(torch.bool)
    return out
    """

    assert "print" not in remove_leftovers(
        f"def entry(x, y):\n{textwrap.indent(text(body), '    ')}"
    )
    assert "else" not in simplified(body)
    assert simplified("out = torch.any(x).to(torch.bool)\nreturn out\n") == "return torch.any(x)\n"
    bytes_too = IN_HALF.replace("float16", "uint8")
    assert ".to(torch.bool)" in simplified("return torch.any(x).to(torch.bool)\n", test=bytes_too)


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


def test_a_function_without_gradients_is_a_plain_function() -> None:
    written = write_functions(FUNCTION, differentiable=False)

    assert written.strip() == text(
        """
        @input_guard
        def twice_forward(x, scale=2):
            # Kept.
            if scale:
                pass
            return launch(x, scale)


        def entry(x):
            return twice_forward(x)
        """
    ).strip().replace("\n\n\ndef entry", "\n\n\n\n\ndef entry")
    assert "return Twice.apply(x)" in write_functions(FUNCTION, differentiable=True)


def test_a_function_without_gradients_that_a_helper_calls_is_a_plain_function() -> None:
    helper = FUNCTION.replace("def entry", "def helper")
    code = f"{helper}\n\ndef entry(x):\n    return helper(x) + 1\n"

    assert "Twice" not in write_functions(code, differentiable=False)


def test_a_function_that_asks_its_context_stays() -> None:
    asking = FUNCTION.replace("if scale:", "if ctx.needs_input_grad[0]:")

    assert "class Twice" in write_functions(asking, differentiable=False)


def folded_inputs(code: str, *types: str) -> str:
    lists = {"FLOATS": "[torch.float16, torch.float32]", "INTEGERS": "[torch.int16]"}
    module = {name: ast.parse(value, mode="eval").body for name, value in lists.items()}
    rows = [{"dtype": DtypeName(name), "kind": "usual", "n": 3} for name in types]
    evaluator = Evaluator(
        lambda name: NamedValue(module[name], lambda _: None) if name in module else None
    )
    return "\n".join(map(ast.unparse, fold_cases(ast.parse(text(code)).body, evaluator, rows, {})))


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


def test_a_list_of_types_is_asked_of_the_type_and_an_unused_branch_goes() -> None:
    assert folded_inputs(MADE, "float16", "int16") == text(
        """
        if dtype.is_floating_point:
            x = torch.randn(n, dtype=dtype)
        else:
            x = torch.ones(n, dtype=dtype)
        y = x
        if n > 2:
            z = y
        if unknown:
            z = y"""
    )


def test_one_kind_of_type_needs_no_branch() -> None:
    made = folded_inputs(MADE, "float16", "float32")

    assert made.startswith("x = torch.randn(n, dtype=dtype)\ny = x\n")


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


def test_a_small_module_is_a_function_of_its_inputs_and_attributes() -> None:
    written = write_module_calls(MODULE, "entry")

    assert (
        text(
            """
        def scaling_forward(x, mask, weight, factor, label):
            assert x.dim() > 0, f"{label} of nothing"
            return scaled(x, weight, factor, mask)
        """
        ).strip()
        in written
    )
    assert "scaling_forward(x, None, weight=w, factor=3, label='scaling')" in written
    assert "class" not in written


def test_a_module_with_other_parameters_or_methods_stays() -> None:
    unknown = MODULE.replace('{"weight": w}', '{"other": w}')
    asking = MODULE.replace("return scaled(", "return self.scaled(")

    assert write_module_calls(unknown, "entry") == unknown
    assert write_module_calls(asking, "entry") == asking


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


def test_a_constructor_is_followed_with_its_arguments() -> None:
    written = write_module_calls(NORM, "entry")

    assert "class" not in written
    assert "def scale(x, weight, offset):\n" in written
    assert "return norm(scale(x, weight=weight, offset=offset), eps)" in written
    assert "weight=torch.ones(x.shape[-1], device=x.device, dtype=x.dtype)" in written
    assert "affine" not in written


def test_a_module_whose_weights_are_set_behind_its_constructor_is_a_function() -> None:
    setting = NORM.replace(
        "    return module(x)", "    module.weight.data = w\n    return module(x)"
    ).replace("def entry(x)", "def entry(x, w)")

    written = write_module_calls(setting, "entry")

    assert "weight=w" in written
    assert ".data" not in written


def test_a_module_that_holds_another_stays() -> None:
    holding = NORM.replace("self.affine = affine", "self.affine = affine\n        self.kl = KL()")
    reading = holding.replace("norm(x, self.eps)", "self.kl(x)")

    assert write_module_calls(reading, "entry") == reading


def test_a_module_of_torch_without_parameters_is_its_function() -> None:
    code = (
        "from torch.nn import CrossEntropyLoss\n\n\ndef entry(x, y):\n"
        "    loss = CrossEntropyLoss(reduction='sum')\n    return loss(x, y)\n"
    )

    written = write_module_calls(code, "entry")

    assert "return torch.nn.functional.cross_entropy(x, y, reduction='sum')" in written
    assert written.startswith("import torch\n")


def test_a_parameter_that_no_side_reads_is_no_input() -> None:
    side = "def entry(x, size, n):\n    return x * n\n"
    test = text(
        """
        def make_inputs(case, device):
            torch.manual_seed(case["seed"])
            n = case["n"]
            size = case["size"]
            x = torch.randn(n)
            return (x, size, n)
        """
    )

    python, triton, made = drop_unused(side, side, test, "entry")

    assert python == triton == "def entry(x, n):\n    return x * n\n"
    assert "size" not in made
    assert "return (x, n)" in made


def test_variables_do_not_tell_of_a_side() -> None:
    code = (
        "def entry(x):\n    ref_y, out = f(x)\n    ref_out = 2 * ref_y\n    return ref_out + out\n"
    )

    assert name_locals(code, "entry") == (
        "def entry(x):\n    y, out = f(x)\n    ref_out = 2 * y\n    return ref_out + out\n"
    )


def test_several_answers_are_returned_without_names() -> None:
    assert simplified("a, b = f(x)\nreturn (a, b)\n") == "return f(x)\n"


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


def test_a_parameter_that_both_sides_bind_before_they_read_it_is_no_input() -> None:
    side = "def f(x, n):\n    n = 2\n    return x * n\n"
    test = "def make_inputs(case, device):\n    x = 1\n    n = 3\n    return (x, n)\n"

    python, triton, made = drop_unused(side, side, test, "f")

    assert python == triton == side.replace("(x, n)", "(x)")
    assert "return (x,)" in made
