"""Kernels in strings, templates and Markdown."""

from __future__ import annotations

from tests.ingest.extract.reading import kernels, only, read

KERNEL = "import triton\n@triton.jit\ndef k(p):\n    return p\n"


def test_a_kernel_in_a_string_has_line_numbers_of_its_file() -> None:
    text = f"from x import async_compile\n\nasync_compile.triton('k', '''\n{KERNEL}''')\n"
    found = only(text)
    kernel = found.kernel
    assert (kernel.container, kernel.start_line, kernel.end_line) == ("string", 5, 7)
    assert kernel.source == "@triton.jit\ndef k(p):\n    return p"
    assert found.unit.standalone


def test_a_kernel_with_placeholders_is_a_template_and_never_standalone() -> None:
    found = only(
        'import triton\nT = """\nimport triton\n@triton.jit\n'
        'def {{name}}(p, {{args}}):\n    {% if x %}\n    return {{ y }}\n    {% endif %}\n"""\n'
    )
    assert (found.kernel.container, found.kernel.name) == ("template", "{{name}}")
    assert "return {{ y }}" in found.kernel.source
    assert not found.unit.standalone


def test_an_f_string_is_a_template() -> None:
    found = only(
        'import triton\nT = f"""\nimport triton\n@triton.jit\ndef k(p):\n    return {width}\n"""\n'
    )
    assert found.kernel.container == "template"
    assert found.kernel.source.endswith("return {width}")


def test_a_template_file_is_read_as_a_whole() -> None:
    found = only("import triton\n@triton.jit\ndef k(p):\n    return {{ y }}\n", "k.py.jinja")
    assert (found.kernel.path, found.kernel.container) == ("k.py.jinja", "template")


def test_python_blocks_in_markdown_are_read() -> None:
    found, _ = read(
        {"README.md": f"# Use triton\n\n```python\n{KERNEL}```\n\n```cpp\n@triton.jit\n```\n"}
    )
    (kernel,) = [e.kernel for e in found]
    assert (kernel.path, kernel.container, kernel.start_line) == ("README.md", "markdown", 5)


def test_a_docstring_that_mentions_the_decorator_is_not_a_kernel() -> None:
    assert kernels('import triton\ndef f():\n    """Like\n    @triton.jit\n    does."""\n') == []
