"""A kernel's text may hold only Triton's language."""

import math
import textwrap
from typing import Any

import pytest
import triton
import triton.language as tl

from validation.harness.replayer.kernel_syntax import UnsupportedKernel, check, definitions, resolve

NAMES: dict[str, Any] = {"tl": tl, "triton": triton, "math": math, "SIZE": 4}


def checked(body: str, names: dict[str, Any] | None = None) -> None:
    text = (
        f"@triton.jit\ndef kernel(x_ptr, n, BLOCK: tl.constexpr):\n{textwrap.indent(body, '    ')}"
    )
    check(definitions(text)["kernel", 1], NAMES if names is None else names)


@pytest.mark.parametrize(
    "body",
    [
        "offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\ntl.store(x_ptr + offsets, 1.0)",
        "for i in tl.range(0, n, num_stages=2):\n    tl.atomic_add(x_ptr + i, SIZE, sem='relaxed')",
        "x = tl.load(x_ptr).to(tl.float32)\ntl.store(x_ptr, tl.sum(x[None, :], axis=1))",
        "x = tl.load(x_ptr)\ntl.device_print('x', x.dtype.primitive_bitwidth)",
        "tl.static_assert(BLOCK == 4, f'{BLOCK} is not 4')\nassert n > 0",
        "a, b = tl.max(tl.load(x_ptr), 0, return_indices=True)\nwhile n > 0:\n    n -= 1",
        "tl.inline_asm_elementwise('mov.u32 $0, $1;', '=r,r', [n], tl.int32, True, 1)",
        "y = tl.math.exp2(1.0) if BLOCK > math.pi else triton.cdiv(n, 2)",
        "y = tl.extra.cuda.libdevice.tanh(1.0)",
    ],
)
def test_tritons_language_is_accepted(body: str) -> None:
    checked(body)


@pytest.mark.parametrize(
    "body",
    [
        "import os",
        "from os import system",
        "x_ptr.handle.data[0] = 1",
        "x_ptr.data",
        "tl.load(x_ptr).handle",
        "tl.core.builtins.open('f')",
        "triton.runtime.driver",
        "triton.knobs",
        "tl.__dict__",
        "x_ptr.__class__",
        "getattr(x_ptr, 'handle')",
        "eval('1')",
        "open('file')",
        "__import__('os')",
        "vars()",
        "lambda: 1",
        "def inner():\n    pass",
        "class Inner:\n    pass",
        "try:\n    pass\nexcept Exception:\n    pass",
        "with x_ptr:\n    pass",
        "global x",
        "yield 1",
        "await x",
        "del x_ptr",
        "raise ValueError",
        "{1: 2}",
        "{1, 2}",
        "(y for y in x_ptr)",
        "'{0.__class__}'.format(n)",
        "x_ptr.dtype = 1",
        "tl.extern_elementwise('lib', 'path', [n], {})",
        "tl.core.inspect.getsource(n)",
    ],
)
def test_syntax_names_and_attributes_outside_of_the_language_are_refused(body: str) -> None:
    with pytest.raises(UnsupportedKernel):
        checked(body)


@pytest.mark.parametrize(
    "body",
    ["for i in range(n):\n    break", "while n > 0:\n    continue", "sum((n, 1))", "abs(n)",
     "for a, b in zip((n,), (1,)):\n    pass"],
)  # fmt: skip
def test_python_that_tritons_compiler_does_not_have_is_refused_in_kernels_alone(body: str) -> None:
    with pytest.raises(UnsupportedKernel):
        checked(body)
    text = f"@triton.constexpr_function\ndef kernel(n):\n{textwrap.indent(body, '    ')}"
    check(definitions(text)["kernel", 1], NAMES)


@pytest.mark.parametrize("name", ["torch", "numpy", "os"])
def test_attributes_of_modules_outside_triton_are_refused(name: str) -> None:
    module = pytest.importorskip(name)

    with pytest.raises(UnsupportedKernel):
        checked(f"{name}.add(x_ptr, 1)", {**NAMES, name: module})


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("triton.language", "core.builtins"), ("triton.language.core", "builtins"),
     ("triton.language.core", "extern_elementwise"), ("triton", "jit")],
)  # fmt: skip
def test_a_kernel_name_can_not_refer_to_an_object_outside_the_language(
    module: str, name: str
) -> None:
    with pytest.raises(UnsupportedKernel):
        resolve(module, name.split("."))


def test_a_name_of_the_language_may_be_shadowed_by_an_argument() -> None:
    checked("y = n.to(tl.int32)", NAMES)


def test_annotations_and_decorators_are_not_run_and_not_checked() -> None:
    text = "@anything(os.system)\n@triton.jit\ndef kernel(x: os.system('true')):\n    pass\n"
    (definition,) = definitions(text).values()

    check(definition, {})


def test_a_kernel_keeps_only_the_specialization_options_of_its_decorator() -> None:
    text = "@autotune(C)\n@triton.jit(do_not_specialize=['n'], repr=f)\ndef kernel(n):\n    pass\n"
    (definition,) = definitions(text).values()

    assert definition.source.splitlines() == [
        "@triton.jit(do_not_specialize=['n'])", "", "def kernel(n):", "    pass",
    ]  # fmt: skip


def test_functions_are_distinguished_by_name_and_first_line() -> None:
    text = "@triton.jit\ndef kernel(): pass\n\n\ndef make():\n    @jit\n    def kernel(): pass\n"

    assert sorted(definitions(text)) == [("kernel", 1), ("kernel", 6), ("make", 5)]


@pytest.mark.parametrize(
    "text",
    [
        'def make():\n    @jit\n    def kernel():\n        """Two\n        lines."""\n',
        "def make():\n    @jit\n    def kernel():\n        x = '''\nmov\n'''\n",
        "x = 1\n\f\n@jit\ndef kernel():\n    pass\n",
    ],
    ids=["a docstring of two lines", "a text at the margin", "a form feed"],
)
def test_a_nested_kernel_is_extracted_as_a_valid_definition(text: str) -> None:
    (definition,) = (one for (name, _), one in definitions(text).items() if name == "kernel")

    check(definition, {})
