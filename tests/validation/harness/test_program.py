"""A recording comes from an untrusted process. One of another form is refused with a sentence."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.harness.program import Earlier, Launch, Program
from validation.harness.program_reader import BadProgram, read

WINDOW = [0, "float32", [4], [1], 0]


def recording(*instructions: Any, **more: Any) -> dict[str, Any]:
    kernel = {"name": "kernel", "line": 3, "names": {"BLOCK": {"constexpr": {"plain": 8}}}}
    return {
        "inputs": [0, None], "kernels": {"kernel:3:0": kernel}, "instructions": [*instructions],
        "backwards": {}, "answer": {"tuple": [{"window": WINDOW}, {"float": 1.5}]}, **more,
    }  # fmt: skip


LAUNCH = {
    "do": "launch", "kernel": "kernel:3:0", "grid": [2, 1],
    "arguments": [{"window": WINDOW}, {"plain": 4}, {"address": [0, 8]}],
    "options": {"num_warps": {"plain": 4}},
}  # fmt: skip
FILL = {"do": "fill", "target": WINDOW, "value": {"plain": 1}}
EACH = [
    {"do": "allocate", "storage": 1, "bytes": 64},
    {"do": "constant", "storage": 2, "blob": 0, "addresses": [[0, 1, 16]]},
    FILL,
    {"do": "copy", "target": WINDOW, "source": WINDOW},
    LAUNCH,
    {
        "do": "operation", "name": "aten::sum.dim_IntList", "named": {},
        "arguments": [{"window": WINDOW}, {"list": [{"plain": 0}]}],
        "results": [{"value": None, "window": [None, "float32", [0], [1], 0]}],
    },
    {"do": "function", "number": 0, "inputs": [{"value": 0}, None], "instructions": [LAUNCH],
     "outputs": [{"value": 1, "window": WINDOW, "differentiable": True, "given": None}],
     "single": True},
    {"do": "earlier", "instructions": [LAUNCH]},
    {"do": "read", "number": 0, "source": WINDOW},
    {"do": "stream", "action": "use", "event": None, "stream": 1},
    {"do": "stream", "action": "record", "event": 0, "stream": 1},
    {"do": "stream", "action": "wait", "event": 0, "stream": 0},
    {"do": "stream", "action": "synchronize", "event": None, "stream": 1},
]  # fmt: skip


def test_every_instruction_of_a_recording_is_read() -> None:
    program = read(recording(*EACH))

    assert len(program.instructions) == len(EACH)
    assert program.answer.value[1].value == 1.5
    # The instructions of functions are among them, those of earlier calls are not.
    every = program.every_instruction()
    assert sum(isinstance(one, Launch) for one in every) == 2
    assert sum(isinstance(one, Earlier) for one in every) == 1


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        recording({"do": "call", "name": "os.system"}),
        recording({"do": "allocate", "storage": 0, "bytes": -1}),
        recording({"do": "allocate", "storage": True, "bytes": 1}),
        recording({"do": "allocate", "storage": 0, "bytes": 1 << 70}),
        recording({**LAUNCH, "grid": []}),
        recording({**LAUNCH, "grid": [1, 1, 1, 1]}),
        recording({**LAUNCH, "arguments": {"x": {"plain": 1}}}),
        recording({**LAUNCH, "options": {"x": {"pickle": "..."}}}),
        recording({**FILL, "target": [0, "float33", [4], [1], 0]}),
        recording({**FILL, "target": [0, "float32", [4], [1, 1], 0]}),
        recording({**FILL, "target": [0, "float32", [1] * 65, [1] * 65, 0]}),
        recording(answer={"window": WINDOW, "plain": 1}),
        recording(answer={"float": "nonsense"}),
        recording(kernels={"kernel": {"name": "k" * 401, "line": 1, "names": {}}}),
        recording(backwards={"first": {}}),
    ],
)
def test_a_malformed_recording_is_refused(said: Any) -> None:
    with pytest.raises(BadProgram):
        read(said)


@pytest.mark.slow
def test_a_recording_with_too_many_instructions_is_refused() -> None:
    with pytest.raises(BadProgram, match="200,000 instructions"):
        read(recording(*[FILL] * 200_001))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=500, deadline=None)
def test_any_mutated_recording_is_read_or_refused(data: st.DataObject) -> None:
    said = json.loads(json.dumps(recording(*EACH)))
    places = list(_places(said))
    holder, key = data.draw(st.sampled_from(places))
    holder[key] = data.draw(ANYTHING)

    with suppress(BadProgram):
        assert isinstance(read(said), Program)


def _places(part: Any) -> Any:
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in items:
        yield part, key
        if isinstance(value, dict | list):
            yield from _places(value)
