"""Which functions are kernels, and what is said about each."""

from __future__ import annotations

import hashlib

import pytest

from tests.ingest.extract.reading import kernels, only, read

DECORATED = {
    "plain": ("import triton", "@triton.jit"),
    "called": ("import triton", "@triton.jit(noinline=True)"),
    "imported by name": ("from triton import jit", "@jit"),
    "imported under another name": ("from triton import jit as compiled", "@compiled"),
    "module alias": ("import triton as t", "@t.jit"),
    "through a dotted import": ("import triton.language as tl, triton", "@triton.jit"),
    "from the runtime": ("from triton.runtime.jit import jit", "@jit"),
    "local alias": ("import triton\nfast = triton.jit", "@fast"),
    "partial": ("import functools, triton", "@functools.partial(triton.jit, debug=True)"),
    "guarded import": (
        "try:\n    import triton\nexcept ImportError:\n    triton = None",
        "@triton.jit",
    ),
    "under tuners": (
        "import triton",
        "@triton.autotune(configs=[], key=[])\n@triton.heuristics({})\n@triton.jit",
    ),
    "under a foreign wrapper": ("import triton\nfrom lib import entry", "@entry()\n@triton.jit"),
}


@pytest.mark.parametrize("form", DECORATED)
def test_every_spelling_of_the_jit_decorator_is_recognized(form: str) -> None:
    imports, decorators = DECORATED[form]
    found = only(f"{imports}\n\n{decorators}\ndef k(x):\n    pass\n")
    assert (found.kernel.name, found.kernel.language) == ("k", "triton")


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("from triton.experimental import gluon", "@gluon.jit"),
        ("from triton.experimental import gluon as g", "@g.jit"),
        ("from triton.experimental.gluon import jit", "@jit"),
        ("import triton.experimental.gluon as gl", "@gl.jit(debug=True)"),
    ],
)
def test_a_gluon_kernel_has_the_language_gluon(imports: str, decorator: str) -> None:
    assert only(f"{imports}\n{decorator}\ndef k():\n    pass\n").kernel.language == "gluon"


@pytest.mark.parametrize(
    "text",
    [
        "from jax._src.pallas import triton\n@triton.jit\ndef k():\n    pass\n",
        "import numba as triton\n@triton.jit\ndef k():\n    pass\n",
        "import torch\n# triton\n@torch.jit.script\ndef k():\n    pass\n",
        '"""Use it so:\n\n@triton.jit\n"""\nimport triton\n',
        "import triton\n# @triton.jit\ndef k():\n    pass\n",
        "import triton\ndef make(triton):\n    @triton.jit\n    def k():\n        pass\n",
        "import triton\n@triton.constexpr_function\ndef jit_width():\n    return 1\n",
    ],
)
def test_a_decorator_that_only_resembles_triton_jit_gives_no_kernel(text: str) -> None:
    assert kernels(text) == []


def test_a_function_jitted_by_assignment_is_a_kernel() -> None:
    found = only("import triton\ndef k(x):\n    pass\nfast = triton.jit(k)\nfast[(1,)](2)\n")
    assert (found.kernel.name, found.kernel.kind) == ("k", "entry")
    assert "fast = triton.jit(k)" in found.unit.source


def test_triton_imported_through_a_module_of_the_repository_is_recognized() -> None:
    found, _ = read(
        {
            "pkg/__init__.py": "",
            "pkg/compat.py": """
                try:
                    import triton
                    import triton.language as tl
                except ImportError:
                    triton = tl = None
            """,
            "pkg/ops.py": """
                from .compat import tl, triton
                @triton.jit
                def k(p):
                    tl.store(p, 1)
            """,
        }
    )
    assert found[0].unit.standalone
    assert found[0].unit.drawn_from == ("pkg/ops.py",)


def test_a_kernel_source_spans_the_first_decorator_to_the_last_code_line() -> None:
    text = (
        "import triton\n\n"
        "# above\n"
        "@triton.heuristics({})\n"
        "@triton.jit\n"
        "def k(x):\n"
        "    y = x  # beside\n"
        "    # trailing\n"
        "\n"
        "# after\n"
    )
    kernel = only(text).kernel
    expected = "@triton.heuristics({})\n@triton.jit\ndef k(x):\n    y = x  # beside"
    assert (kernel.start_line, kernel.end_line, kernel.source) == (4, 7, expected)
    assert kernel.sha256 == hashlib.sha256(expected.encode()).hexdigest()


def test_kernels_have_the_qualnames_of_python_and_their_containers() -> None:
    found = kernels(
        """
        import triton
        @triton.jit
        def a(): pass
        if triton:
            @triton.jit
            def b(): pass
        class C:
            @triton.jit
            def c(x): pass
            def host(self):
                @triton.jit
                def d(): pass
        def make():
            class Box:
                @triton.jit
                def get(self): return self
            return Box
        """
    )
    assert [(e.kernel.qualname, e.kernel.container) for e in found] == [
        ("a", "module"),
        ("b", "condition"),
        ("C.c", "class"),
        ("C.host.<locals>.d", "function"),
        ("make.<locals>.Box.get", "class"),
    ]


def test_both_branches_of_a_condition_are_kernels_of_the_same_qualname() -> None:
    found = kernels(
        """
        import triton
        if triton.__version__ > "3":
            @triton.jit
            def k(x): return x
        else:
            @triton.jit
            def k(x): return -x
        """
    )
    assert [e.kernel.qualname for e in found] == ["k", "k"]
    assert "-x" not in found[0].unit.source


def test_parameters_have_annotation_default_and_constexpr_flag() -> None:
    (x, block, word, rest) = only(
        """
        import triton
        import triton.language as tl
        @triton.jit
        def k(x, BLOCK: tl.constexpr = 128, W: "tl.constexpr" = 1, *rest): pass
        """
    ).kernel.parameters
    assert (x.name, x.annotation, x.default, x.constexpr) == ("x", None, None, False)
    assert (block.annotation, block.default, block.constexpr) == ("tl.constexpr", "128", True)
    assert word.constexpr
    assert rest.name == "*rest"


def test_an_empty_stub_is_a_kernel() -> None:
    assert only("import triton\n@triton.jit\ndef k(): ...\n").kernel.end_line == 3


def test_kernels_are_ordered_by_path_and_line() -> None:
    files: dict[str, str | bytes] = {
        "b.py": "import triton\n@triton.jit\ndef y(): pass\n@triton.jit\ndef x(): pass\n",
        "a.py": "import triton\n@triton.jit\ndef z(): pass\n",
    }
    first, second = read(files)[0], read(dict(reversed(files.items())))[0]
    assert [e.kernel.name for e in first] == ["z", "y", "x"]
    assert first == second
