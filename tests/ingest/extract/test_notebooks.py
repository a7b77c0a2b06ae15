"""Kernels in Jupyter notebooks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.extract.notebooks import python_of, read_notebook
from tests.ingest.extract.reading import PRELUDE, kernels, notebook, only, read

KERNEL = "@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"


def test_a_kernel_uses_the_imports_of_an_earlier_cell() -> None:
    found = only(notebook(PRELUDE, "#md # Title", "N = 4", KERNEL), "a.ipynb")

    assert found.unit.standalone
    assert found.unit.source.startswith("import triton\nimport triton.language as tl\n")


def test_each_definition_of_a_name_is_a_separate_kernel() -> None:
    again = KERNEL.replace("1", "2")
    found = kernels(notebook(PRELUDE, KERNEL, again), "a.ipynb")

    assert [(e.kernel.name, e.kernel.cell) for e in found] == [("k", 2), ("k", 3)]
    assert "tl.store(p, 2)" in found[1].unit.source


def test_a_launch_in_a_later_cell_is_the_launcher() -> None:
    host = "def run(x):\n    k[(1,)](x)\n"
    kernel = only(notebook(PRELUDE, KERNEL, host), "a.ipynb").kernel

    assert [launcher.qualname for launcher in kernel.launchers] == ["run"]


def test_magics_and_shell_commands_do_not_hide_a_kernel() -> None:
    first = f"%matplotlib inline\n!pip install \\\n    triton\nfiles = !ls\n{PRELUDE}triton?\n"
    timed = f"%%time\n{KERNEL}"
    found, problems = read(
        {"a.ipynb": notebook(first, "%%bash\ncat <<X\ndef (", timed, "%timeit k")}
    )

    assert [(e.kernel.cell, e.kernel.start_line) for e in found] == [(3, 2)]
    assert found[0].unit.standalone
    assert problems == []


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%load_ext x", "pass"),
        ("if x:\n    !ls", "if x:\n    pass"),
        ("x = !ls", "x = None"),
        ("t = %timeit -o f()", "t = None"),
        ("?f", "pass"),
        ("f.g??", "pass"),
        ("!a \\\nb", "pass\n"),
        ("%%writefile k.py\nx = 1", "\nx = 1"),
        ("%%writefile k.cu\nx = 1", "\n"),
        ("%%capture\nx = 1", "\nx = 1"),
        ("  x = 1\n  y = 2", "x = 1\ny = 2"),
    ],
)
def test_ipython_syntax_is_replaced(cell: str, python: str) -> None:
    assert python_of(cell) == python


@pytest.mark.parametrize(
    "cell",
    ["x = (a\n  % b)", "s = '''\n%no\n!no\n'''", "a != b", "y = a \\\n  % b", "# what?", 's = "?"'],
)
def test_python_that_looks_like_a_magic_is_kept(cell: str) -> None:
    assert python_of(cell) == cell


@given(st.text(alphabet="%!?=x \n\\'\"()[]#.", max_size=60))
def test_a_cell_keeps_its_number_of_lines(cell: str) -> None:
    assert python_of(cell).count("\n") == cell.count("\n")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"triton jit": ', "not valid JSON"),
        (b"\xff triton jit", "not valid JSON"),
        (b'"triton jit"', "no list of cells"),
        (b'{"triton": "jit"}', "no list of cells"),
        (b"[" * 100_000 + b"triton jit", "nested too deeply"),
        (notebook(KERNEL + "# triton", nbformat=3), "format is not 4"),
        (
            notebook("# triton jit", metadata={"language_info": {"name": "julia"}}),
            "language is julia",
        ),
        (notebook("# triton jit \0"), "null character"),
    ],
)
def test_a_broken_notebook_drops_only_that_file(data: bytes, reason: str) -> None:
    found, problems = read({"a.ipynb": data, "b.py": PRELUDE + KERNEL})

    assert [e.kernel.path for e in found] == ["b.py"]
    (problem,) = problems
    assert (problem.path, problem.code) == ("a.ipynb", "notebook")
    assert reason in problem.message


def test_a_broken_cell_does_not_affect_kernels_of_other_cells() -> None:
    broken = notebook(PRELUDE, "x = (1,\ndef\n", KERNEL)
    found, (problem,) = read({"a.ipynb": broken})

    assert [e.kernel.cell for e in found] == [3]
    assert (problem.code, problem.line) == ("syntax", 1)
    assert "code cell 2" in problem.message


def test_a_nan_in_a_cell_output_is_accepted() -> None:
    data = notebook(PRELUDE, KERNEL).replace(b'"outputs": []', b'"outputs": [NaN]')
    assert only(data, "a.ipynb").kernel.name == "k"


def test_half_a_surrogate_pair_in_a_notebook_is_replaced() -> None:
    data = notebook(PRELUDE, KERNEL + "# X").replace(b"# X", b"# \\ud800")
    assert only(data, "a.ipynb").kernel.name == "k"


def test_a_notebook_can_not_be_imported_as_a_module() -> None:
    found, _ = read(
        {
            "helpers.ipynb": notebook(PRELUDE, "@triton.jit\ndef h(x):\n    return x\n"),
            "k.py": f"{PRELUDE}from helpers import h\n@triton.jit\ndef k(p):\n    h(p)\n",
        }
    )
    (kernel,) = [e for e in found if e.kernel.path == "k.py"]
    assert not kernel.unit.standalone


def test_markdown_cells_become_comments_for_license_detection() -> None:
    read_ = read_notebook(notebook("#md Licensed under X\n\nend", "a = 1"))
    assert read_.words == "# Licensed under X\n# \n# end\n\na = 1"
