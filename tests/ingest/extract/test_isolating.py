"""What a standalone module carries along, and what it refuses to be."""

from __future__ import annotations

from tests.ingest.extract.reading import PRELUDE, kernels, named, only, read


def test_a_unit_contains_only_needed_definitions_in_file_order() -> None:
    unit = named(
        kernels(
            """
            import os
            import triton
            import triton.language as tl

            SCALE: tl.constexpr = tl.constexpr(2)
            UNUSED = 3

            # Doubles.
            @triton.jit
            def double(x):
                return x * SCALE

            @triton.jit
            def k(p):
                tl.store(p, double(1))
            """
        ),
        "k",
    ).unit
    assert unit.standalone
    assert unit.source == (
        "import triton\nimport triton.language as tl\n\n\n"
        "SCALE: tl.constexpr = tl.constexpr(2)\n\n\n"
        "# Doubles.\n@triton.jit\ndef double(x):\n    return x * SCALE\n\n\n"
        "@triton.jit\ndef k(p):\n    tl.store(p, double(1))\n"
    )


def test_helpers_are_followed_through_packages_and_re_exports() -> None:
    found, _ = read(
        {
            "src/pkg/__init__.py": "from .deep.tools import *\n",
            "src/pkg/deep/__init__.py": "",
            "src/pkg/deep/tools.py": PRELUDE
            + "N = 4\n@triton.jit\ndef helper(x):\n    return x + N\n",
            "src/pkg/ops.py": PRELUDE
            + "from pkg import helper as h\n@triton.jit\ndef k(p):\n    tl.store(p, h(1))\n",
        }
    )
    unit = named(found, "k").unit
    assert unit.standalone
    assert unit.drawn_from == ("src/pkg/deep/tools.py", "src/pkg/ops.py")
    assert "tl.store(p, helper(1))" in unit.source


def test_triton_that_a_module_of_another_package_passes_on_is_imported_itself() -> None:
    unit = only(
        """
        from vllm.triton_utils import HAS_TRITON, tl, triton

        if HAS_TRITON:
            print("found")

        @triton.jit
        def k(p, n: tl.constexpr):
            tl.store(p, n)
        """
    ).unit
    assert unit.standalone
    assert unit.source == (
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef k(p, n: tl.constexpr):\n    tl.store(p, n)\n"
    )


def test_triton_behind_a_placeholder_of_the_repository_is_imported_itself() -> None:
    found, _ = read(
        {
            "vllm/__init__.py": "",
            "vllm/triton_utils/importing.py": "class Placeholder: ...\nHAS_TRITON = True\n",
            "vllm/triton_utils/__init__.py": """
                from typing import TYPE_CHECKING
                from vllm.triton_utils.importing import HAS_TRITON, Placeholder

                if TYPE_CHECKING or HAS_TRITON:
                    import triton
                    import triton.language as tl
                else:
                    triton = Placeholder()
                    tl = Placeholder()
                """,
            "vllm/ops.py": """
                from vllm.triton_utils import tl, triton

                @triton.jit
                def k(p):
                    tl.store(p, 1)
                """,
        }
    )
    assert named(found, "k").unit.source == (
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"
    )


def test_attributes_of_an_imported_module_become_plain_names() -> None:
    found, _ = read(
        {
            "pkg/__init__.py": "",
            "pkg/m.py": PRELUDE + "@triton.jit\ndef helper(x):\n    return x\n",
            "pkg/k.py": PRELUDE
            + "import pkg.m as m\nfrom . import m as other\nimport pkg.m\n"
            + "@triton.jit\ndef k(p):\n    tl.store(p, m.helper(other.helper(pkg.m.helper(1))))\n",
        }
    )
    unit = named(found, "k").unit
    assert unit.standalone
    assert "tl.store(p, helper(helper(helper(1))))" in unit.source


def test_colliding_names_are_renamed_by_token_and_recorded() -> None:
    found, _ = read(
        {
            "pkg/__init__.py": "",
            "pkg/m.py": PRELUDE
            + "N = 1\n@triton.jit\ndef helper(x, N_like):\n    return x + N  # N stays here\n",
            "pkg/k.py": PRELUDE
            + "from .m import helper\nN = 2\n"
            + "@triton.jit\ndef k(p):\n    tl.store(p, helper(N, N_like=3))\n",
        }
    )
    unit = named(found, "k").unit
    assert unit.standalone
    assert unit.notes == ("N of pkg/m.py is called m_N here.",)
    assert "return x + m_N  # N stays here" in unit.source
    assert "helper(N, N_like=3)" in unit.source


def test_a_renamed_definition_is_never_shadowed_by_a_local_name() -> None:
    found, _ = read(
        {
            "pkg/__init__.py": "",
            "pkg/m.py": PRELUDE + "@triton.jit\ndef helper(x):\n    return x\n",
            "pkg/k.py": PRELUDE
            + "from .m import helper as h\n"
            + "@triton.jit\ndef k(p, helper):\n    tl.store(p, h(helper))\n",
        }
    )
    unit = named(found, "k").unit
    assert unit.standalone
    assert "tl.store(p, m_helper(helper))" in unit.source


def test_a_definition_that_hides_a_builtin_of_another_file_is_renamed() -> None:
    found, _ = read(
        {
            "pkg/__init__.py": "",
            "pkg/m.py": PRELUDE + "@triton.jit\ndef max(x):\n    return x\n",
            "pkg/k.py": PRELUDE
            + "from .m import max as m\nN = max(1, 2)\n"
            + "@triton.jit\ndef k(p):\n    tl.store(p, m(N))\n",
        }
    )
    unit = named(found, "k").unit
    assert "N = max(1, 2)" in unit.source
    assert "m_max(N)" in unit.source


def test_conditional_variants_of_a_helper_are_all_kept() -> None:
    unit = named(
        kernels(
            """
            import torch, triton
            import triton.language as tl
            IS_HIP = torch.version.hip is not None
            if IS_HIP:
                @triton.jit
                def fast(x): return x
            else:
                @triton.jit
                def fast(x): return -x
            @triton.jit
            def k(p): tl.store(p, fast(1))
            """
        ),
        "k",
    ).unit
    assert unit.standalone
    assert "if IS_HIP:\n    @triton.jit\n    def fast(x): return x\nelse:\n" in unit.source


def test_version_dependent_imports_keep_their_try_block() -> None:
    unit = only(
        """
        import triton
        import triton.language as tl
        try:
            from triton.language.extra.libdevice import rsqrt
        except ImportError:
            from triton.language.math import rsqrt
        @triton.jit
        def k(p): tl.store(p, rsqrt(1.0))
        """
    ).unit
    assert unit.standalone
    assert "try:\n    from triton.language.extra.libdevice import rsqrt\nexcept" in unit.source


def test_an_import_guard_around_triton_is_reduced_to_the_import() -> None:
    unit = only(
        """
        try:
            import triton
            import triton.language as tl
            HAS_TRITON = True
        except ImportError:
            HAS_TRITON = False
        if HAS_TRITON:
            @triton.jit
            def k(p):
                tl.store(p, 1)
        """
    ).unit
    expected = "@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"
    assert unit.source == "import triton\nimport triton.language as tl\n\n\n" + expected


def test_a_check_of_the_triton_release_keeps_every_branch() -> None:
    unit = only(
        """
        import triton
        import triton.language as tl
        if hasattr(triton.language, "_experimental_make_tensor_descriptor"):
            describe = tl._experimental_make_tensor_descriptor
        elif hasattr(triton.language, "make_tensor_descriptor"):
            describe = triton.language.make_tensor_descriptor
        @triton.jit
        def k(p): describe(p, [1], [1], [1])
        """
    ).unit
    assert unit.standalone
    assert "\n    describe = tl._experimental_make_tensor_descriptor\nelif" in unit.source


def test_functions_that_build_autotune_configs_are_included_with_their_needs() -> None:
    unit = only(
        """
        import itertools
        import triton
        import triton.language as tl
        SIZES = []
        SIZES.append(64)
        def configs():
            return [triton.Config({"B": b}) for b, _ in itertools.product(SIZES, SIZES)]
        @triton.autotune(configs=configs(), key=[])
        @triton.jit
        def k(p, B: tl.constexpr): tl.store(p, B)
        """
    ).unit
    assert unit.standalone
    assert unit.source.index("SIZES.append(64)") < unit.source.index("def configs")
    assert "import itertools" in unit.source


def test_an_autotune_decorator_that_needs_a_third_party_is_removed_with_a_note() -> None:
    unit = only(
        """
        import numpy as np
        import triton
        import triton.language as tl
        @triton.autotune(configs=[triton.Config({"B": int(np.pi)})], key=[])
        @triton.jit
        def k(p, B: tl.constexpr): tl.store(p, B)
        """
    ).unit
    assert unit.standalone
    assert unit.notes == ("Left out the decorator @triton.autotune.",)


def test_a_third_party_dependency_makes_a_unit_not_standalone() -> None:
    unit = only(
        """
        import triton
        from somewhere import launchable, helper
        @launchable
        @triton.jit
        def k(p): helper(p)
        """
    ).unit
    assert not unit.standalone
    assert any("somewhere" in reason and "launchable" in reason for reason in unit.reasons)


def test_a_known_launch_wrapper_is_removed_with_a_note() -> None:
    unit = only(
        """
        import triton
        from lib.utils import libentry
        @libentry()
        @triton.jit
        def k(p): pass
        """
    ).unit
    assert unit.standalone
    assert unit.notes == ("Left out the decorator @libentry.",)
    assert "libentry" not in unit.source


def test_constants_of_the_enclosing_function_move_to_the_module() -> None:
    unit = only(
        """
        import triton
        def host(x):
            import triton.language as tl
            B = 4
            @triton.jit
            def k(p):
                tl.store(p, B)
            k[(1,)](x)
        """
    ).unit
    assert unit.standalone
    assert unit.source.endswith("B = 4\n\n\n@triton.jit\ndef k(p):\n    tl.store(p, B)\n")


def test_computed_values_of_the_enclosing_function_prevent_standalone() -> None:
    unit = only(
        """
        import triton
        def host(x, n):
            size = len(x)
            @triton.jit
            def k(p): return p + size + n
        """
    ).unit
    assert not unit.standalone
    assert "It captures n, a parameter of the function host around it." in unit.reasons
    assert "It captures size, which the function host around it computes." in unit.reasons


def test_an_undefined_name_is_reported_as_missing() -> None:
    unit = only("import triton\n@triton.jit\ndef k(p): return nowhere(p)\n").unit
    assert (unit.standalone, unit.reasons) == (False, ("Nothing defines nowhere.",))


def test_a_method_that_uses_self_is_included_with_its_class() -> None:
    unit = only(
        """
        from triton.experimental import gluon
        @gluon.aggregate
        class Pair:
            @gluon.jit
            def first(self): return self.a
        """
    ).unit
    assert unit.standalone
    assert "@gluon.aggregate\nclass Pair:" in unit.source


def test_a_static_method_kernel_is_moved_out_of_its_class_with_a_note() -> None:
    unit = only(
        """
        import triton
        class Op:
            @staticmethod
            @triton.jit
            def k(p): pass
        """
    ).unit
    assert unit.source == "import triton\n\n\n@triton.jit\ndef k(p): pass\n"
    assert unit.notes == ("Left out the decorator @staticmethod.",)


def test_dedenting_code_keeps_multiline_strings() -> None:
    unit = only(
        'import triton\ndef host():\n    @triton.jit\n    def k(p):\n        s = """a\n'
        '        b"""\n        return s\n'
    ).unit
    assert 's = """a\n        b"""\n    return s\n' in unit.source


def test_future_imports_are_the_first_lines_of_a_unit() -> None:
    unit = only(
        "from __future__ import annotations\nimport triton\n@triton.jit\ndef k(p: int): pass\n"
    ).unit
    assert unit.source.startswith("from __future__ import annotations\nimport triton\n")


def test_isolating_ends_with_circular_imports() -> None:
    found, _ = read(
        {
            "a.py": PRELUDE + "from b import g\n@triton.jit\ndef f(x):\n    return g(x)\n",
            "b.py": PRELUDE + "from a import f\n@triton.jit\ndef g(x):\n    return f(x)\n",
            "c.py": "from d import x\n",
            "d.py": "from c import x\n",
            "e.py": PRELUDE + "from c import x\n@triton.jit\ndef k():\n    return x\n",
        }
    )
    assert named(found, "f").unit.standalone
    assert not named(found, "k").unit.standalone


def test_code_of_triton_itself_is_imported_instead_of_copied() -> None:
    found, _ = read(
        {
            "python/triton/__init__.py": "",
            "python/triton/language/__init__.py": "",
            "python/triton/language/more.py": """
                from ..runtime.jit import jit
                from . import core
                @jit
                def k(x): return core.abs(x)
            """,
            "python/triton/language/core.py": "def abs(x): return x\n",
        }
    )
    assert found[0].unit.standalone
    assert "from triton.language import core\n" in found[0].unit.source


def test_a_name_reassigned_after_the_kernel_keeps_its_earlier_value() -> None:
    unit = only(
        """
        import triton
        configs = [triton.Config({})]
        @triton.autotune(configs=configs, key=[])
        @triton.jit
        def k(p): pass
        configs = None
        """
    ).unit
    assert "configs = [triton.Config({})]" in unit.source
    assert "configs = None" not in unit.source


def test_a_global_statement_is_not_a_local_binding() -> None:
    unit = only(
        """
        import triton
        WIDTH = 1
        def host():
            global WIDTH
            WIDTH = 2
            @triton.jit
            def k(p, w=WIDTH): pass
        """
    ).unit
    assert unit.standalone
    assert "WIDTH = 1" in unit.source


def test_a_module_imported_by_a_constant_name_is_followed() -> None:
    found, _ = read(
        {
            "07-tools.py": PRELUDE + "@triton.jit\ndef helper(x):\n    return x\n",
            "08-more.py": PRELUDE
            + 'import importlib\nt7 = importlib.import_module("07-tools")\n'
            + "@triton.jit\ndef k(p):\n    return t7.helper(p)\n",
        }
    )
    unit = named(found, "k").unit
    assert unit.standalone
    assert unit.source.endswith("return helper(p)\n")
