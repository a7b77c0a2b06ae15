"""Constants that every launch gives decide the branches of a kernel."""

import textwrap

import pytest

from ingest.drafting.fixed_arguments import fix_arguments
from ingest.drafting.folding import TENSOR, fold_function
from ingest.drafting.known_arguments import fold_helpers
from ingest.drafting.unused_parameters import drop_unread


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


SCALE = text(
    """
    @triton.autotune(configs=CONFIGS, key=["n", "HAS_BIAS"])
    @triton.jit(do_not_specialize=["n"])
    def scale_kernel(x, bias, y, n, HAS_BIAS: constexpr, REVERSE: constexpr, BLOCK: constexpr):
        offsets = tl.arange(0, BLOCK)
        value = tl.load(x + offsets, offsets < n)
        if HAS_BIAS:
            b = tl.load(bias + offsets, offsets < n)
            value += b
        else:
            b = None
        value = -value if REVERSE and BLOCK > 1 else value
        tl.store(y + offsets, value, offsets < n)


    def scale(x, y):
        scale_kernel[(1,)](x, None, y, x.numel(), HAS_BIAS=False, REVERSE=True, BLOCK=16)
        return y
    """
)


def test_a_constant_of_every_launch_goes_with_the_branches_that_it_excludes() -> None:
    assert fix_arguments(SCALE, "scale") == text(
        """
        @triton.autotune(configs=CONFIGS, key=["n"])
        @triton.jit(do_not_specialize=["n"])
        def scale_kernel(x, y, n, BLOCK: constexpr):
            offsets = tl.arange(0, BLOCK)
            value = tl.load(x + offsets, offsets < n)
            value = -value if BLOCK > 1 else value
            tl.store(y + offsets, value, offsets < n)


        def scale(x, y):
            scale_kernel[(1,)](x, y, x.numel(), BLOCK=16)
            return y
        """
    )


def test_a_second_launch_with_another_constant_keeps_the_parameter() -> None:
    second = (
        "    scale_kernel[(1,)](x, None, y, x.numel(), HAS_BIAS=True, REVERSE=True, BLOCK=16)\n"
    )
    code = SCALE.replace("    return y\n", f"{second}    return y\n")

    fixed = fix_arguments(code, "scale")

    assert "    if HAS_BIAS:\n" in fixed
    assert "REVERSE" not in fixed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("configs=CONFIGS", 'configs=[triton.Config({"HAS_BIAS": False})]'),
        ("[(1,)]", '[lambda meta: (1 + meta["HAS_BIAS"],)]'),
        ("if HAS_BIAS:", "if HAS_BIAS.value:"),
        ("HAS_BIAS: constexpr", "HAS_BIAS"),
        ("HAS_BIAS=False", "HAS_BIAS=y is None"),
        ("HAS_BIAS=False", "**options"),
        ("return y", "return y, scale_kernel"),
    ],
)  # fmt: skip
def test_a_parameter_that_something_else_may_name_stays(old: str, new: str) -> None:
    assert "HAS_BIAS" in fix_arguments(SCALE.replace(old, new), "scale").partition("):")[0]


def test_a_constant_that_decides_nothing_stays_an_argument() -> None:
    code = SCALE.replace("HAS_BIAS=False", 'HAS_BIAS="left"')
    code = code.replace("if HAS_BIAS:", "if side(HAS_BIAS):")

    fixed = fix_arguments(code, "scale")

    assert 'HAS_BIAS="left"' in fixed
    assert "REVERSE" not in fixed


def test_a_parameter_that_must_be_named_goes_with_its_branch() -> None:
    code = text(
        """
        def helper(x, *, bias=None, scale: float = 2):
            if bias is not None:
                x = x + bias
            return x * scale


        def entry(x):
            return helper(x, scale=3)
        """
    )

    assert fix_arguments(code, "entry") == text(
        """
        def helper(x, scale: float = 2):
            return x * scale


        def entry(x):
            return helper(x, scale=3)
        """
    )


def test_a_function_that_also_takes_keywords_loses_what_is_decided() -> None:
    code = "def helper(x, wide=False, **rest):\n    return f(x, **rest) if wide else x\n\n\n"
    code = f"{code}def entry(x):\n    return helper(x, bias=1)\n"

    assert fix_arguments(code, "entry").startswith("def helper(x, **rest):\n    return x\n")


def test_a_constant_in_place_of_an_absent_argument_stays() -> None:
    code = text(
        """
        def helper(x, bias=None, block=None):
            if block is None:
                block = 64
            if bias is not None:
                x = x + bias
            return launch(x, block)


        def entry(x):
            return helper(x)
        """
    )

    assert fix_arguments(code, "entry") == text(
        """
        def helper(x):
            block = 64
            return launch(x, block)


        def entry(x):
            return helper(x)
        """
    )


def test_a_constant_that_a_kernel_hands_on_by_its_name_goes() -> None:
    code = text(
        """
        @triton.jit
        def part(x, WIDE: tl.constexpr):
            return x if WIDE else -x


        @triton.jit
        def kernel(x, WIDE: tl.constexpr):
            tl.store(x, part(tl.load(x), WIDE=WIDE))


        def entry(x):
            kernel[(1,)](x, WIDE=False)
            return x
        """
    )

    assert "WIDE" not in fix_arguments(code, "entry")
    assert "return -x" in fix_arguments(code, "entry")


def test_a_kernel_loses_parameters_that_it_does_not_read() -> None:
    code = text(
        """
        @triton.autotune(configs=CONFIGS, key=["rows"])
        @triton.jit(do_not_specialize=["n"])
        def kernel(x, stride, rows, n, BLOCK: tl.constexpr, WIDE: tl.constexpr):
            tl.store(x + tl.arange(0, BLOCK), 0)


        CONFIGS = [triton.Config({"WIDE": True})]


        def entry(x):
            kernel[(1,)](x, x.stride(0), x.shape[0], log(x), BLOCK=16)
            return x
        """
    )

    assert drop_unread(code, "entry") == code.replace(" stride,", "").replace(" x.stride(0),", "")


def test_what_decides_nothing_leaves_a_condition() -> None:
    code = text(
        """
        def entry(x):
            wide = True
            if wide and (x.a or x.b):
                x = x + 1
            if x.a and (not wide or x.b):
                x = x + 2
            return x
        """
    )

    assert fold_function(code, "entry", {}) == text(
        """
        def entry(x):
            if x.a or x.b:
                x = x + 1
            if x.a and (x.b):
                x = x + 2
            return x
        """
    )


HANDED_ON = text(
    """
    @triton.jit
    def kernel(x, state, WIDE: tl.constexpr):
        if state is not None:
            tl.store(x, tl.load(state))


    def launch(x, state=None):
        state = state.contiguous()
        kernel[(1,)](x, state, WIDE=state is not None)
        return x


    def middle(x, state):
        if state is None:
            state = torch.zeros(4)
        return launch(x, state=state)


    def entry(x, state):
        return middle(x, state)
    """
)


def test_a_tensor_that_is_handed_on_decides_branches_of_helpers_and_kernels() -> None:
    folded = fold_helpers(HANDED_ON, "entry", {"x": TENSOR, "state": TENSOR})

    assert "def middle(x, state):\n    return launch(x, state=state)\n" in folded
    folded = fold_helpers(folded, "entry", {"x": TENSOR, "state": TENSOR})
    assert "is not None" not in folded
    assert "WIDE=True" in folded


def test_an_argument_that_one_call_may_lack_decides_nothing() -> None:
    code = HANDED_ON.replace("return middle(x, state)", "return middle(x, state) + middle(x, None)")

    assert fold_helpers(code, "entry", {"x": TENSOR, "state": TENSOR}) == code
    assert fold_helpers(HANDED_ON, "entry", {"x": TENSOR}) == HANDED_ON
