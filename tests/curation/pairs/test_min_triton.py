"""The lowest Triton release that a text's names need."""

import pytest

from curation.pairs.min_triton import FLOOR, RELEASES, min_triton

HEAD = "import triton\nimport triton.language as tl\n\n\n"


def kernel(body: str, head: str = HEAD, parameters: str = "x, y") -> str:
    return f"{head}@triton.jit\ndef k({parameters}):\n    {body}\n"


@pytest.mark.parametrize(
    ("body", "release"),
    [
        ("tl.store(y, tl.dot(tl.load(x), tl.load(x), input_precision='ieee'))", "3.0"),
        ("tl.assume(x > 0)", "3.2"),
        ("tl.store(y, tl.dot_scaled(x, x, 'e4m3', y, y, 'e4m3'))", "3.2"),
        ("tl.store(y, tl.gather(tl.load(x), 0, 0))", "3.3"),
        ("for i in tl.range(0, 8, flatten=True):\n        tl.store(y, i)", "3.3"),
        ("for i in tl.range(0, 8, num_stages=2):\n        tl.store(y, i)", "3.0"),
        ("d = tl.make_tensor_descriptor(x, [8], [1], [8])", "3.4"),
        ("d = tl.make_tensor_descriptor(x, [8], [1], [8], padding_option='nan')", "3.5"),
    ],
)
def test_the_newest_name_or_parameter_decides(body: str, release: str) -> None:
    assert min_triton(kernel(body)) == release


def test_a_name_is_known_under_whatever_it_is_imported_as() -> None:
    assert (
        min_triton(kernel("g(x, y, 0)", "import triton\nfrom triton.language import gather as g\n"))
        == "3.3"
    )
    assert min_triton("from triton.experimental import gluon\n") == "3.4"
    assert min_triton(kernel("gather(x, y, 0)")) == FLOOR


def test_a_descriptor_that_a_kernel_takes_as_an_argument_counts() -> None:
    assert min_triton(kernel("tl.store(y, x.load([0, 0]))")) == "3.4"
    assert min_triton("def read(file):\n    return file.load()\n") == FLOOR


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from triton.tools.tensor_descriptor import TensorDescriptor\n"
        "except ImportError:\n    TensorDescriptor = None\n",
        f"{HEAD}if hasattr(tl, 'gather'):\n    gather = tl.gather\nelse:\n    gather = None\n",
        f"{HEAD}x = tl.gather if triton.__version__ > '3.2' else 0\n",
    ],
)
def test_what_stands_under_a_look_at_the_version_does_not_count(text: str) -> None:
    assert min_triton(text) == FLOOR


def test_what_does_not_parse_needs_nothing_that_is_known() -> None:
    assert min_triton("tl.gather(triton language import") == FLOOR


def test_releases_rise() -> None:
    assert sorted(RELEASES, key=lambda name: [*map(int, name.split("."))]) == list(RELEASES)
