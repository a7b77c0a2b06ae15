"""The process that times calls: the inputs that it sees before the first timed run."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from validation.harness.worker import folder
from validation.harness.worker.stopwatch import Stopwatch

REFERENCE = "seen = []\n\n\ndef f(x):\n    seen.append(x)\n    return x\n"


@pytest.fixture(autouse=True)
def _no_entry_stays_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    yield
    folder.forget()


@pytest.mark.parametrize(("compiled", "before"), [(False, {0, 1}), (True, {0, 1, 2, 3, 4})])
def test_only_a_compiled_function_sees_all_inputs_before_it_is_timed(
    compiled: bool, before: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "compile", lambda function: function)
    runs = [{"trial": number, "arguments": [number]} for number in range(5)]
    order = {
        "device": "cpu", "seed": 0, "warming": 2, "entry_point": "f", "python_code": REFERENCE,
        "runs": runs, "compiled": compiled, "count": False,
    }  # fmt: skip
    stopwatch = Stopwatch(order)

    answer, _ = stopwatch.prepare(order, [])
    seen = sys.modules["python_code"].seen

    assert answer == {"flops": 0}
    assert set(seen) == before
    del seen[:]
    stopwatch.measure({"keep": False, "runs": 6}, [])
    assert seen == [0, 1, 2, 3, 4, 2, 3, 4]
