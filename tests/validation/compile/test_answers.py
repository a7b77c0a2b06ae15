"""What is said of a kernel, by a real Triton in a real sandbox."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.validation.compile import kernels
from validation.compile import (
    CompileAnswer,
    Compiled,
    Environment,
    ForkServerFailed,
    Judge,
    Reason,
    Unit,
)
from validation.compile.outcome import outcome

WRITER = """\
import json, os, signal

def write_everywhere(data):
    for fd in range(3, 30):
        try:
            os.write(fd, data)
        except OSError:
            pass
"""


def compile_one(judge: Judge, source: str) -> Compiled:
    ((_, done),) = judge.compile([Unit(1, source, "kernel")])
    return done


@pytest.mark.slow
def test_each_signature_rule_gives_a_signature_that_compiles(judge: Judge) -> None:
    names = dict(enumerate(kernels.COMPILING))
    units = [Unit(key, kernels.COMPILING[name], "kernel") for key, name in names.items()]

    done = {names[unit.key]: outcome for unit, outcome in judge.compile(units)}

    assert {
        name: o.message for name, o in done.items() if o.answer is not CompileAnswer.COMPILES
    } == {}
    assert set(done) == set(kernels.COMPILING)
    assert all("ptx" in outcome.stages for outcome in done.values())
    first = {name for name, outcome in done.items() if outcome.flips == 0}
    assert first >= set(done) - {"loop_carried", "pointer_table"}


def test_a_compile_answer_records_signature_constants_and_environment(judge: Judge) -> None:
    done = compile_one(judge, kernels.program("tuned"))

    assert done.signature == {"x": "*fp32", "n": "i32"}
    assert done.constants == {"BLOCK": "256", "EVEN": "True"}
    said = done.sentence(judge.environment)
    assert said.startswith(f"compiles (triton {judge.environment.triton}, sm_90, signature x: ")
    assert said.endswith("constexprs BLOCK = 256, EVEN = True)")


def test_a_scalar_parameter_becomes_a_float_after_a_compiler_error(judge: Judge) -> None:
    done = compile_one(judge, kernels.program("loop_carried"))

    assert done.signature["start"] == "fp32"
    assert done.flips >= 1
    assert done.attempts > 1


@pytest.mark.parametrize("source", [kernels.program("old_language"), kernels.LOST_MODULE])
def test_a_removed_triton_feature_is_rejected_by_name(judge: Judge, source: str) -> None:
    done = compile_one(judge, source)

    assert done.answer is CompileAnswer.REJECTED
    assert "trans_b" in done.message or "triton.ops" in done.message
    assert done.sentence(judge.environment).startswith("rejected by triton 3.")


def test_a_unit_that_cannot_be_loaded_is_undecided(judge: Judge) -> None:
    done = compile_one(judge, kernels.MISSING_MODULE)

    assert (done.answer, done.reason) == (CompileAnswer.UNDECIDED, Reason.EXTRACTION)
    assert "nowhere_to_be_found" in done.message


@pytest.mark.slow
def test_a_kernel_without_a_working_signature_is_undecided(judge: Judge) -> None:
    done = compile_one(judge, kernels.program("not_inferred"))

    assert (done.answer, done.reason) == (CompileAnswer.UNDECIDED, Reason.INFERENCE)
    assert done.sentence(judge.environment).startswith("undecided: inference, ")


def test_every_descriptor_that_is_tried_has_a_rank(judge: Judge) -> None:
    done = compile_one(judge, kernels.program("changed_type"))

    assert done.answer is CompileAnswer.UNDECIDED
    assert "invalid literal" not in done.message


@pytest.mark.slow
def test_a_compile_timeout_is_undecided_and_does_not_block_others(judge: Judge) -> None:
    units = [Unit(1, kernels.program("endless"), "kernel"), Unit(2, kernels.ADD, "kernel")]

    done = {unit.key: outcome for unit, outcome in judge.compile(units)}

    assert done[1].reason is Reason.TIMEOUT
    assert done[2].answer is CompileAnswer.COMPILES


def test_a_unit_can_not_kill_the_compile_worker(judge: Judge) -> None:
    source = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n" + kernels.ADD

    done = compile_one(judge, source)

    assert done.reason is Reason.EXTRACTION
    assert "PermissionError" in done.message


@pytest.mark.slow
@pytest.mark.parametrize(
    "mischief",
    [
        "os.kill(os.getpid(), signal.SIGSEGV)",
        "os._exit(0)",
        "write_everywhere(b'{')",
        "write_everywhere(json.dumps({'answer': 'excellent'}).encode())",
    ],
)
def test_a_unit_that_crashes_its_process_loses_only_its_own_answer(
    judge: Judge, mischief: str
) -> None:
    source = f"{WRITER}\n{mischief}\nos._exit(1)\n" + kernels.ADD

    done = {
        unit.key: outcome
        for unit, outcome in judge.compile(
            [Unit(1, source, "kernel"), Unit(2, kernels.ADD, "kernel")]
        )
    }

    assert done[1].reason is Reason.CRASH
    assert done[2].answer is CompileAnswer.COMPILES


def test_a_unit_can_read_neither_the_worker_nor_the_project(judge: Judge) -> None:
    """Only what the compiler needs can be opened, and nothing is open but its own output."""
    here = Path(__file__).resolve()
    source = kernels.ADD + (
        "import os\n"
        "seen = []\n"
        f"for path in ({str(here)!r}, {str(here.parents[3] / 'manage.py')!r}, '/etc/passwd'):\n"
        "    try:\n"
        "        open(path).close()\n"
        "        seen += [path]\n"
        "    except OSError:\n"
        "        pass\n"
        "try:\n"
        "    descriptors = os.listdir('/proc/self/fd')\n"
        "except OSError:\n"
        "    descriptors = []\n"
        "for fd in descriptors:\n"
        "    open_file = os.path.realpath(f'/proc/self/fd/{fd}')\n"
        "    own = open_file.endswith('/said') or open_file == f'/proc/{os.getpid()}'\n"
        "    if int(fd) > 3 and os.path.exists(open_file) and not own:\n"
        "        seen += [open_file]\n"
        "try:\n"
        "    seen += os.listdir(f'/proc/{os.getppid()}/fd')\n"
        "except OSError:\n"
        "    pass\n"
        "if seen:\n"
        "    raise RuntimeError(seen)\n"
    )

    done = compile_one(judge, source)

    assert done.answer is CompileAnswer.COMPILES, done.message


@pytest.mark.slow
def test_the_judge_reports_a_worker_that_can_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validation.compile.judge.WORKER", "validation.compile.nobody")

    with Judge() as judge, pytest.raises(ForkServerFailed, match="nobody"):
        compile_one(judge, kernels.ADD)


def test_a_malformed_compile_answer_counts_as_a_crash() -> None:
    whole = Compiled(CompileAnswer.COMPILES, signature={"x": "*fp32"}, stages=("ptx",))
    said = json.loads(json.dumps(asdict(whole)))

    assert outcome(said, 0.0) == whole
    for nonsense in ({}, {"answer": "yes"}, {"answer": "compiles", "signature": [1]}, [1], None):
        assert outcome(nonsense, 1.0).reason is Reason.CRASH  # type: ignore[arg-type]


def test_a_gpu_architecture_has_the_name_of_its_vendor() -> None:
    assert Environment("3.9.0", "cuda:80", "none").architecture == "sm_80"
    assert Environment("3.9.0", "hip:gfx942", "none").architecture == "gfx942"
