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
def test_the_newest_name_or_parameter_sets_the_minimum_triton_release(
    body: str, release: str
) -> None:
    assert min_triton(kernel(body)) == release


def test_an_import_alias_is_resolved_for_the_minimum_triton_release() -> None:
    assert (
        min_triton(kernel("g(x, y, 0)", "import triton\nfrom triton.language import gather as g\n"))
        == "3.3"
    )
    assert min_triton("from triton.experimental import gluon\n") == "3.4"
    assert min_triton(kernel("gather(x, y, 0)")) == FLOOR


def test_a_descriptor_argument_of_a_kernel_raises_the_minimum_triton_release() -> None:
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
def test_a_name_behind_a_version_check_does_not_raise_the_minimum_release(text: str) -> None:
    assert min_triton(text) == FLOOR


def test_a_text_that_does_not_parse_gets_the_lowest_triton_release() -> None:
    assert min_triton("tl.gather(triton language import") == FLOOR


def test_the_known_triton_releases_are_in_ascending_order() -> None:
    assert sorted(RELEASES, key=lambda name: [*map(int, name.split("."))]) == list(RELEASES)
