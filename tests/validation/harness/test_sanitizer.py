"""The check of compute-sanitizer, in the real sandbox. A stand-in takes the place of the real tool,
which needs a GPU: it calls and ends as that does."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hostile.zoo.load import zoo
from validation.harness.entry import parse
from validation.harness.options import Options, Unsuited
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Report, Verdict
from validation.harness.sandbox import probe
from validation.harness.schedule import check
from validation.harness.timing.sanitizer import complaint, errors, found
from validation.harness.timing.sanitizing import judged, sanitized

ADD = next(parse(e.record(), e.name) for e in zoo() if e.name == "vector-add")
# Takes the program's word for what it did wrong; all else as the real one.
STAND_IN = """\
#!{python}
import subprocess, sys
words = sys.argv[1:]
options = {{}}
while words[0].startswith("--"):
    options[words[0]] = words[1]
    words = words[2:]
print("========= COMPUTE-SANITIZER", flush=True)
done = subprocess.run(words, capture_output=True, text=True)
print(done.stdout, done.stderr, flush=True)
count = done.stdout.count("reads beyond")
for _ in range(count):
    print("========= Invalid __global__ read of size 4 bytes")
    print("=========     at add_kernel+0x3d0 in triton_code.py:12")
print(f"========= ERROR SUMMARY: {{count}} error{{'s' * (count != 1)}}")
sys.exit(int(options["--error-exitcode"]) if count else done.returncode)
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tool = tmp_path / "toolkit" / "bin" / "compute-sanitizer"
    tool.parent.mkdir(parents=True)
    tool.write_text(STAND_IN.format(python=sys.executable))
    for path in (tool, tool.parent, tool.parent.parent):
        path.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tool.parent.parent))
    return tool


def under_it(pool: WorkerPool, more: str = "", *, within: str = "") -> Check:
    """`more` stands at the end of the text, `within` in its kernel."""
    before, kernel, after = ADD.triton_code.partition("    offsets = ")
    code = f"{before}{within}{kernel}{after}{more}"
    entry = replace(ADD, triton_code=code)
    report = sanitized(entry, Report(entry.id, Verdict.PASSED, "", (), {}, {}), pool)
    (made,) = report.checks
    assert made.name == "sanitizer"
    assert report.verdict is (made.verdict or Verdict.PASSED)
    return made


@pytest.mark.slow
def test_an_entry_without_sanitizer_errors_passes(pool: WorkerPool, stand_in: Path) -> None:
    made = under_it(pool)

    assert (made.verdict, made.words) == (
        Verdict.PASSED, "compute-sanitizer finds nothing in 6 cases",
    )  # fmt: skip


@pytest.mark.slow
def test_a_sanitizer_error_fails_the_check_with_its_first_lines(
    pool: WorkerPool, stand_in: Path
) -> None:
    made = under_it(pool, within="    print('reads beyond')\n")

    assert made.verdict is Verdict.FAILED
    assert made.words.startswith("compute-sanitizer: Invalid __global__ read of size 4 bytes; at a")
    assert made.numbers["errors"] >= 6
    assert made.numbers["cases"] == 6


@pytest.mark.parametrize("more", ["\nraise OSError('tired')\n", "\nimport os\nos._exit(0)\n"])
def test_an_entry_that_can_not_be_recorded_is_not_sanitized(
    pool: WorkerPool, stand_in: Path, more: str
) -> None:
    made = under_it(pool, more)

    assert made.verdict is None
    assert made.words.startswith("not run: ")


def test_the_sanitize_option_is_refused_without_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CUDA_HOME", raising=False)

    assert found() is None
    with pytest.raises(Unsuited, match="neither on PATH nor where CUDA_HOME says"):
        list(check([ADD], Options(device="cuda", sanitize=True)))


def test_a_refused_sanitizer_run_does_not_probe_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The probe is cached, and would hold for later runs with another PATH."""
    monkeypatch.setenv("PATH", "/nowhere")
    probe.cache_clear()

    with pytest.raises(Unsuited):
        list(check([ADD], Options(device="cuda", sanitize=True)))

    assert probe.cache_info().currsize == 0


def test_the_sanitize_option_is_refused_without_a_gpu(stand_in: Path) -> None:
    assert found() == stand_in
    with pytest.raises(Unsuited, match="runs on a GPU"):
        list(check([ADD], Options(sanitize=True)))


@pytest.mark.parametrize(
    ("said", "status", "count"),
    [
        ("========= ERROR SUMMARY: 0 errors", 0, 0),
        ("========= ERROR SUMMARY: 1 error", 97, 1),
        ("========= ERROR SUMMARY: 12 errors", 97, 12),
        ("========= ERROR SUMMARY: 3 errors\n========= ERROR SUMMARY: 0 errors", 0, 3),
        ("========= ERROR SUMMARY: 0 errors", 97, 1),
        ("killed", 97, 1),
        ("Error: no device", 1, None),
    ],
)
def test_output_of_the_entry_can_not_hide_a_sanitizer_error(
    said: str, status: int, count: int | None
) -> None:
    assert errors(said, status) == count


def test_sanitizer_lines_that_describe_an_error_are_kept() -> None:
    said = "hello\n========= COMPUTE-SANITIZER\n========= \n=========     at   a+0x1\n"

    assert complaint(said) == "at a+0x1"
    assert judged(None, said, "ran", 3).words == "not run to the end: it took too long"
