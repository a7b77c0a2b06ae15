"""Counts of kernels, launchers and comparing tests, from the text of a repository."""

import time

from ingest.discovery_counts import DraftingCounts, count_texts

LAUNCHER = """
import torch, triton

@triton.autotune(configs=[], key=[])
@triton.jit
def scale_kernel(x, n):
    pass

@triton.jit
def helper(x):
    return x

def scale(x):
    scale_kernel[(1,)](x, x.numel())
    return x
"""
TEST = """
from acme import scale

def test_scale():
    torch.testing.assert_close(scale(x), 2 * x)

def test_shape():
    assert scale(x).shape == x.shape
"""


def test_a_launcher_that_a_comparing_test_names_is_compared() -> None:
    assert count_texts([LAUNCHER, TEST]) == DraftingCounts(
        kernel_count=2, launcher_count=1, comparing_tests=1, compared_launchers=1
    )


def test_a_test_reaches_a_launcher_through_its_callers_in_other_files() -> None:
    layer = "from acme.ops import scale\n\nclass Scale(Module):\n    forward = scale\n"

    counts = count_texts([LAUNCHER, layer, TEST.replace("scale", "Scale")])

    assert counts.compared_launchers == 1


def test_tests_of_other_code_do_not_count() -> None:
    other = TEST.replace("scale", "load")

    counts = count_texts([LAUNCHER, other, "def load(path):\n    return open(path)\n"])

    assert (counts.launcher_count, counts.comparing_tests, counts.compared_launchers) == (1, 0, 0)


def test_a_launch_through_a_class_of_kernels_counts() -> None:
    kernels = "import triton\n\nclass Scale:\n    @triton.jit\n    def run(x):\n        pass\n"
    launcher = "from acme import kernels\n\ndef scale(x):\n    kernels.Scale.run[(1,)](x)\n"

    assert count_texts([kernels, launcher]).launcher_count == 1


def test_a_repository_without_kernels_counts_nothing() -> None:
    assert count_texts([TEST, "import numba\n"]) == DraftingCounts(0, 0, 0, 0)


def test_hostile_texts_are_counted_in_time_in_proportion_to_their_length() -> None:
    texts = [
        "import triton\n" + "@triton.jit\n" * 100_000,
        "import triton\n" + "def a(b): a[b]\n" * 50_000,
        "import triton\n" + " " * 1_000_000 + "x" * 1_000_000,
        "def test\n" * 100_000 + "allclose",
    ]
    started = time.process_time()

    count_texts(texts)

    assert time.process_time() - started < 10
