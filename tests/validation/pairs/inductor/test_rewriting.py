"""Inductor's own text, made plain."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from validation.pairs.inductor import Unwritable, device_functions
from validation.pairs.inductor.pair_texts import test_code as rewritten_test
from validation.pairs.inductor.pair_texts import triton_code
from validation.pairs.inductor.plain_kernels import read_kernel

KERNEL = """
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math

@triton_heuristics.pointwise(
    size_hints={'x': 128},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32'}, 'device': DeviceProperties(type='cuda')},
    inductor_meta={'grid_type': 'GRID'},
)
@triton.jit
def kernel_0(in_ptr0, out_ptr0, ynumel, xnumel, XBLOCK : tl.constexpr):
    xnumel = 100
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    unused = xindex * 2
    also_unused = unused + 1
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = CALLED(tmp0)
    tl.store(out_ptr0 + (x0), tmp1, xmask)
"""
MODULE = """
kernel_0 = async_compile.triton('kernel_0', '''{kernel}''', device_str='cuda')

def call(args):
    arg0_1, = args
    args.clear()
    arg0_1_size = arg0_1.size()
    s0 = arg0_1_size[0]
    assert_size_stride(arg0_1, (s0, ), (1, ))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((s0, ), (1, ), torch.float32)
        {more}
        raw_stream0 = get_raw_stream(0)
        kernel_0.run(arg0_1, buf0, 1, s0, stream=raw_stream0)
        del arg0_1
    return (buf0, )
"""
PYTHON = '''import torch


def f(x):
    """Something."""
    return torch.exp(x)
'''


def kernel(called: str = "libdevice.exp", grid: str = "Grid1D") -> str:
    return KERNEL.replace("CALLED", called).replace("GRID", grid)


def traced(module: str, **more: Any) -> dict[str, Any]:
    return {"module": module, "single": True, "numbers": {}, **more}


def test_unused_parameters_and_variables_are_removed() -> None:
    found = read_kernel(kernel(), "k")
    text = ast.unparse(found.definition)

    assert "unused" not in text
    assert [argument.arg for argument in found.definition.args.args] == [
        "in_ptr0", "out_ptr0", "XBLOCK",
    ]  # fmt: skip
    assert found.handed == (True, True, False, False)
    assert "xnumel = 100" in text


def test_a_libdevice_function_becomes_a_triton_function_or_a_helper() -> None:
    plain = read_kernel(kernel(), "k")
    assert "tl.exp(tmp0)" in ast.unparse(plain.definition)

    spelled = read_kernel(kernel("libdevice.tanh"), "k")

    assert spelled.helpers == {"tanh"}
    assert "tmp1 = tanh(tmp0)" in ast.unparse(spelled.definition)


def test_scalars_that_the_kernel_converts_are_not_specialized() -> None:
    text = kernel("(ks0 * (ks1 + 1)).to(tl.float32) * ks2.to(tl.float32) *")
    text = text.replace("ynumel, xnumel,", "ks0, ks1, ks2, ks3, ynumel, xnumel,")
    text = text.replace("xoffset = ", "xoffset = (ks3 * tl.program_id(1)).to(tl.int64) + ")

    decorator = read_kernel(text, "k").definition.decorator_list[0]

    assert ast.unparse(decorator) == "triton.jit(do_not_specialize=['ks0', 'ks1', 'ks2'])"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (kernel("libdevice.lgamma"), "libdevice.lgamma"),
        (kernel(grid="SplitScanGrid"), "SplitScanGrid"),
    ],
)
def test_an_unsupported_inductor_construct_is_named(text: str, reason: str) -> None:
    with pytest.raises(Unwritable, match=reason):
        read_kernel(text, "k")


def test_a_module_becomes_a_launcher_with_name_and_docstring_of_the_reference() -> None:
    text = triton_code(
        PYTHON, "f", traced(MODULE.format(kernel=kernel(), more="torch.cuda.set_device(0)"))
    )
    launcher = text[text.index("def f(") :]

    assert launcher.splitlines() == [
        "def f(x):",
        '    """Something."""',
        "    s0 = x.size(0)",
        "    buf0 = torch.empty_strided((s0,), (1,), dtype=torch.float32, device=x.device)",
        "    f_kernel[(triton.cdiv(s0, 128),)](x, buf0, XBLOCK=128, num_warps=4)",
        "    return buf0",
    ]


def test_a_module_that_calls_a_library_gives_no_launcher() -> None:
    module = MODULE.format(kernel=kernel(), more="extern_kernels.mm(arg0_1, arg0_1, out=buf0)")

    with pytest.raises(Unwritable, match="extern_kernels.mm"):
        triton_code(PYTHON, "f", traced(module))


def test_rewriting_a_test_changes_only_its_cases() -> None:
    test = "A = 1\nCASES = [\n    {},\n]\n\n\ndef test():\n    pass\n"

    changed = rewritten_test(test, "[{'n': 3, 'dtype': 'float16', 'shape': (2,)}]")

    assert changed == (
        'A = 1\nCASES = [\n    {"n": 3, "dtype": "float16", "shape": (2,)},\n]\n'
        "\n\ndef test():\n    pass\n"
    )


def test_a_device_helper_is_included_with_its_callees() -> None:
    texts = device_functions.spelled_out({"max_with_index"})

    assert [text.split("def ")[1].split("(")[0] for text in texts] == [
        "_larger",
        "max_with_index",
    ]


@pytest.mark.parametrize("names", [["kernel_1", "kernel_10"], [f"k{n}" for n in range(12)]])
def test_kernels_with_any_inductor_names_get_distinct_names(names: list[str]) -> None:
    module = MODULE.format(kernel=kernel(), more="pass")
    head, _, call = module.partition("def call")
    heads = "".join(head.replace("kernel_0 =", f"{name} =") for name in names)
    runs = "".join(f"        {name}.run(arg0_1, buf0, 1, s0)\n" for name in names)
    launched = call.replace("        pass\n", runs).replace("        kernel_0.run", "        # ")

    text = triton_code(PYTHON, "f", traced(f"{heads}def call{launched}"))

    for number in range(len(names)):
        name = "f_kernel" + (f"_{number}" if number else "")
        assert text.count(f"def {name}(") == 1
        assert text.count(f"    {name}[") == 1


def test_a_function_named_like_a_needed_helper_is_refused() -> None:
    module = MODULE.format(kernel=kernel("libdevice.tanh"), more="pass").replace(
        "        pass\n", ""
    )

    with pytest.raises(Unwritable, match="tanh is also what"):
        triton_code(PYTHON.replace("def f", "def tanh"), "tanh", traced(module))
