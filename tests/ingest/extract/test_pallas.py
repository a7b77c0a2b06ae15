"""Pallas kernels: found by `pallas_call`, for JAX's Triton backend only."""

from __future__ import annotations

import pytest

from tests.ingest.extract.reading import kernels, notebook, only, read

JAX = (
    "import functools\nimport jax\nimport jax.numpy as jnp\n"
    "from jax.experimental import pallas as pl\n"
)
KERNEL = "def add(x_ref, y_ref, o_ref):\n    o_ref[...] = x_ref[...] + y_ref[...]\n"
BY_NAME = "from jax.experimental.pallas import pallas_call\n"

FORMS = {
    "directly": "def f(x):\n    return pl.pallas_call(add, grid=(1,))(x, x)\n",
    "by keyword": "def f(x):\n    return pl.pallas_call(grid=(1,), kernel=add)(x, x)\n",
    "through partial": "def f(x):\n    return pl.pallas_call(functools.partial(add, y_ref=1))(x)\n",
    "through a name": (
        "def f(x):\n    k = functools.partial(add, y_ref=1)\n    return pl.pallas_call(k)(x)\n"
    ),
    "through a name bound twice": (
        "def f(x):\n    k = add\n    k = functools.partial(k, y_ref=1)\n"
        "    return pl.pallas_call(k)(x)\n"
    ),
    "a partial of the module": (
        "k = functools.partial(add)\ndef f(x):\n    return pl.pallas_call(k)(x)\n"
    ),
    "imported by name": f"{BY_NAME}def f(x):\n    return pallas_call(add)(x)\n",
    "imported under another name": (
        "from jax.experimental.pallas import pallas_call as pc\ndef f(x):\n    return pc(add)(x)\n"
    ),
    "by the full name": (
        "import jax.experimental.pallas\n"
        "def f(x):\n    return jax.experimental.pallas.pallas_call(add)(x)\n"
    ),
    "a partial of the call": (
        "def f(x):\n    return functools.partial(pl.pallas_call, grid=1)(add)(x)\n"
    ),
    "in either branch": "def f(x, c):\n    return pl.pallas_call(add if c else add)(x)\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_pass_a_kernel_is_recognized(form: str) -> None:
    found = only(JAX + KERNEL + FORMS[form])
    kernel = found.kernel

    assert (kernel.name, kernel.language, kernel.kind) == ("add", "pallas", "entry")
    assert [launcher.qualname for launcher in kernel.launchers] == ["f"]
    assert found.unit.standalone


def test_a_pallas_call_decorator_marks_a_kernel() -> None:
    found = only(
        f"{JAX}@functools.partial(pl.pallas_call, out_shape=jax.ShapeDtypeStruct((8,), 'f4'))\n"
        "def double(x_ref, o_ref):\n    o_ref[...] = x_ref[...] * 2\n"
    )
    assert (found.kernel.name, found.kernel.start_line, found.unit.standalone) == (
        "double",
        5,
        True,
    )


def test_a_pallas_unit_contains_imports_constants_and_helpers() -> None:
    found = only(
        f"{JAX}import numpy as np\nfrom jax import lax\nSCALE = np.float32(2)\n"
        "def scaled(x):\n    return lax.rsqrt(x) * SCALE\n"
        "def k(x_ref, o_ref):\n    o_ref[...] = scaled(jnp.exp(x_ref[...]))\n"
        "def f(x):\n    return pl.pallas_call(k)(x)\n"
    )
    assert found.unit.standalone
    assert "def scaled(x):" in found.unit.source
    assert "import numpy as np\nfrom jax import lax\n" in found.unit.source
    assert "pallas_call" not in found.unit.source


def test_a_pallas_kernel_imported_from_another_file_is_found() -> None:
    found, _ = read(
        {
            "ops/kernels.py": "import jax.numpy as jnp\n" + KERNEL,
            "ops/host.py": f"{JAX}from ops.kernels import add\n"
            "def f(x):\n    return pl.pallas_call(add)(x)\n",
        }
    )
    (extraction,) = found
    assert (extraction.kernel.path, extraction.unit.standalone) == ("ops/kernels.py", True)
    assert [launcher.path for launcher in extraction.kernel.launchers] == ["ops/host.py"]


def test_each_pallas_call_refers_to_the_definition_before_it() -> None:
    call = "def f(x):\n    return pl.pallas_call(add)(x)\n"
    again = KERNEL.replace("+", "*")
    found = kernels(notebook(JAX, KERNEL, call, again, call), "a.ipynb")

    assert [(e.kernel.cell, e.kernel.language) for e in found] == [(2, "pallas"), (4, "pallas")]


@pytest.mark.parametrize(
    "text",
    [
        "class T:\n    def f(self, x):\n        return self.pallas_call(add)(x)\n",
        "def f(k, x):\n    return pl.pallas_call(k)(x)\n",
        "def f(x):\n    return pl.pallas_call(lambda x_ref, o_ref: None)(x)\n",
        "from mine import pallas_call\ndef f(x):\n    return pallas_call(add)(x)\n",
        "# pl.pallas_call(add)\n",
    ],
)
def test_a_pallas_call_without_a_known_function_gives_no_kernel(text: str) -> None:
    assert kernels(JAX + KERNEL + text) == []


IMPORTS = {
    "tpu": "from jax.experimental.pallas import tpu as pltpu\n",
    "mosaic-gpu": "from jax.experimental.pallas import mosaic_gpu as pltpu\n",
}


@pytest.mark.parametrize("backend", IMPORTS)
@pytest.mark.parametrize(
    "text",
    [
        "def k(o_ref):\n    pltpu.roll(o_ref)\ndef f(x):\n    return pl.pallas_call(k)(x)\n",
        "def k(o_ref):\n    pass\ndef f(x):\n    return pl.pallas_call(k, a=pltpu.VMEM)(x)\n",
        "def k(o_ref):\n    pass\ndef f(x):\n    return pl.pallas_call(k)(x)\n",
    ],
    ids=["unit", "launcher", "file"],
)
def test_a_pallas_kernel_for_another_backend_is_skipped_with_a_reason(
    backend: str, text: str
) -> None:
    found, (problem,) = read({"k.py": JAX + IMPORTS[backend] + text})

    assert found == []
    assert (problem.code, problem.line) == (f"pallas-{backend}", 6)


@pytest.mark.parametrize("module", ["triton", "gpu"])
def test_a_pallas_launcher_that_also_supports_triton_keeps_its_kernel(module: str) -> None:
    found = only(
        f"{JAX}{IMPORTS['tpu']}from jax.experimental.pallas import {module} as plgpu\n{KERNEL}"
        "def f(x, tpu):\n    p = pltpu.CompilerParams() if tpu else plgpu.CompilerParams()\n"
        "    return pl.pallas_call(add, compiler_params=p)(x)\n"
    )
    assert found.kernel.language == "pallas"


def test_a_triton_kernel_that_imports_jax_is_not_standalone() -> None:
    found = only(
        "import jax.numpy as jnp\nimport triton\n@triton.jit\ndef k(p):\n    return jnp.pi\n"
    )
    assert not found.unit.standalone


def test_a_helper_with_jax_is_allowed_for_pallas_but_not_for_triton() -> None:
    found = kernels(
        f"{JAX}import triton\ndef h(x):\n    return jnp.exp(x)\n"
        "@triton.jit\ndef t(p):\n    return h(p)\n"
        "def k(x_ref, o_ref):\n    o_ref[...] = h(x_ref[...])\n"
        "def f(x):\n    return pl.pallas_call(k)(x)\n"
    )
    standalone = {e.kernel.name: e.unit.standalone for e in found}
    assert standalone == {"t": False, "k": True}
