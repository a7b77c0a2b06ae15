"""Entries that behave while they are checked, and cheat while they are timed.

The processes and the judge are the real ones; only the clock is the host's, since a GPU's can't be
had here.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.hostile.zoo.load import zoo
from validation.harness import Check, Crew, Entry, Options, Report, Unsuited, Verdict, check, opened
from validation.harness.entry import parse
from validation.harness.timing import timed

HONEST = {e.name: parse(e.record(), e.name) for e in zoo() if e.cheat is None}
ADD = HONEST["vector-add"]

# Honest while it warms up.
MEANWHILE = """

_honest = vector_add
_calls, _late, _kept = [], [], []


def vector_add(x, y):
    _calls.append(None)
    if len(_calls) < 5:
        _kept.append(_honest(x, y))
        return _kept[-1]
    {body}
"""
CHEATS = {
    "remembers the last answer": ("return _kept[0]", "wrong while it is timed"),
    "looks the answer up": (
        "return _kept[int(x[0]) % 1]",
        "wrong while it is timed",
    ),
    "answers before it has computed": (
        "out = torch.empty_like(x); _late.append((x, y, out))\n"
        "    if len(_late) > 1:\n"
        "        a, b, o = _late.pop(0); o.copy_(_honest(a, b))\n"
        "    return out",
        "wrong while it is timed",
    ),
    "lets torch compute": ("return x + y", "computes outside its kernels: aten.add.Tensor"),
    "leaves a mode on": (
        "from torch.utils._python_dispatch import TorchDispatchMode\n"
        "    class Mode(TorchDispatchMode):\n"
        "        def __torch_dispatch__(self, f, types, args=(), kwargs=None):\n"
        "            return f(*args, **(kwargs or {}))\n"
        "    out = _honest(x, y)\n"
        "    Mode().__enter__()\n"
        "    return out",
        "leaves a mode of torch's on",
    ),
    "computes when somebody looks": (
        "class Lazy(torch.Tensor):\n        pass\n    return _honest(x, y).as_subclass(Lazy)",
        "answers with a Lazy in place of a tensor",
    ),
    "turns back the clock": (
        "import time\n    time.perf_counter_ns = lambda: 0\n    return _honest(x, y)",
        "replaces time.perf_counter_ns",
    ),
}


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    with opened(Options(jobs=1)) as made:
        yield made


def passed(entry: Entry) -> Report:
    return Report(entry.id, Verdict.PASSED, "checks pass", (), {}, {})


def its_timing(entry: Entry, crew: Crew) -> tuple[Report, Check]:
    report = timed(entry, passed(entry), crew)
    (made,) = report.checks
    assert made.name == "timing"
    return report, made


@pytest.mark.parametrize("name", ["vector-add", "softmax", "sgd-momentum"])
def test_an_honest_entry_is_timed_beside_its_reference(name: str, crew: Crew) -> None:
    report, made = its_timing(HONEST[name], crew)

    assert (report.verdict, made.verdict) == (Verdict.PASSED, Verdict.PASSED), made.words
    figures = report.figures["timing"]
    assert figures["candidate"]["runs"] == figures["eager"]["runs"] == 20
    assert figures["candidate"]["low_us"] <= figures["candidate"]["median_us"]
    assert report.figures["speedup"] == figures["speedup"] > 0
    assert figures["bytes"] > 0
    assert "times as fast as eager torch" in made.words
    assert report.seconds["timing"] > 0


@pytest.mark.parametrize("name", CHEATS)
def test_who_cheats_only_while_it_is_timed_is_caught(name: str, crew: Crew) -> None:
    body, words = CHEATS[name]
    text = ADD.triton_code + MEANWHILE.format(body=body)

    report, made = its_timing(replace(ADD, triton_code=text), crew)

    assert words in made.words
    assert report.verdict in (Verdict.FAILED, Verdict.CHEATING)
    assert "speedup" not in report.figures


def test_the_operations_of_a_product_are_counted(crew: Crew) -> None:
    report, _ = its_timing(HONEST["matmul"], crew)

    assert report.figures["timing"]["flops"] > 0


def test_who_cannot_be_timed_has_passed_all_the_same(crew: Crew) -> None:
    text = ADD.python_code + "\n\n_first = vector_add\n_calls = []\n\n\ndef vector_add(x, y):\n"
    text += "    _calls.append(None)\n    if len(_calls) > 8:\n        raise OSError('tired')\n"
    text += "    return _first(x, y)\n"

    report, made = its_timing(replace(ADD, python_code=text), crew)

    assert (report.verdict, made.verdict) == (Verdict.PASSED, None)
    assert made.words.startswith("not timed: ")
    assert "OSError: tired" in made.words


def test_without_a_gpu_timing_is_refused_in_a_sentence() -> None:
    with pytest.raises(Unsuited, match="Timing needs a GPU"):
        list(check([ADD], Options(timing=True)))
