"""What else can be known of a kernel without a pair: does its unit import, can it be launched?"""

from collections.abc import Iterator

import pytest

from curation.models import Outcome as CheckOutcome
from tests.validation.compile import kernels
from validation.compile import (
    CompileAnswer,
    Compiled,
    Environment,
    Judge,
    LaunchOutcome,
    TrialLauncher,
    Unit,
)
from validation.compiling import finding


@pytest.fixture(scope="module")
def launcher() -> Iterator[TrialLauncher]:
    with TrialLauncher(seconds=5) as made:
        yield made


def launched(
    source: str, signature: dict[str, str], launcher: TrialLauncher, **fixed: str
) -> LaunchOutcome:
    compiled = Compiled(CompileAnswer.COMPILES, signature=signature, constants=fixed)
    return launcher.launch(Unit(1, source, "kernel"), compiled)


def test_a_compiled_kernel_is_launched_with_its_found_signature(
    judge: Judge, launcher: TrialLauncher
) -> None:
    ((unit, done),) = judge.compile([Unit(1, kernels.ADD, "kernel")])

    made = finding(done, judge.environment, launcher.launch(unit, done))

    assert done.imports is True
    checks = {check.name: check for check in made.checks}
    assert list(checks) == ["import", "ttir", "ptx", "cubin", "launch"]
    assert checks["launch"].outcome == CheckOutcome.PASSED
    assert "with arguments that were guessed" in checks["launch"].message
    assert made.figures["launches"] == checks["launch"].message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["through_helpers", "indexed", "tuned"])
def test_helpers_indices_and_tuned_kernels_can_be_launched(
    name: str, judge: Judge, launcher: TrialLauncher
) -> None:
    ((unit, done),) = judge.compile([Unit(1, kernels.COMPILING[name], "kernel")])

    assert launcher.launch(unit, done) == LaunchOutcome(launched=True)


@pytest.mark.slow
def test_a_failed_launch_counts_as_unknown(launcher: TrialLauncher) -> None:
    source = kernels.unit(
        "@triton.jit\ndef kernel(out, n):\n    tl.static_assert(n == 3, 'three')\n"
    )

    made = launched(source, {"out": "*fp32", "n": "i32"}, launcher)

    assert not made.launched
    assert made.sentence.startswith("unknown: with arguments that were guessed, ")
    where = Environment("3.9.0", "cuda:90", "bubblewrap")
    checks = finding(Compiled(CompileAnswer.COMPILES, imports=True), where, made).checks
    (check,) = (check for check in checks if check.name == "launch")
    assert check.outcome == CheckOutcome.SKIPPED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("while True:\n        pass", "it took more than 5 s"),
        ("tl.load(out + (1 << 60))", "its process was killed by SIGSEGV"),
    ],
)
def test_a_hanging_or_crashing_launch_does_not_block_others(
    body: str, words: str, launcher: TrialLauncher
) -> None:
    source = kernels.unit(f"@triton.jit\ndef kernel(out):\n    {body}\n")

    assert launched(source, {"out": "*fp32"}, launcher) == LaunchOutcome(False, words)
    assert launched(kernels.program("indexed"), INDEXED, launcher, BLOCK="32").launched


INDEXED = {"table": "*fp32", "rows": "*i32", "out": "*fp32", "stride": "i32"}
