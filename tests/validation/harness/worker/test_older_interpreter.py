"""The interpreter of an older Triton is made to launch kernels as later ones do."""

from collections.abc import Callable
from typing import Any

import pytest
from triton.runtime import interpreter

from validation.harness.worker.warm import level_interpreter


class Older:
    """As up to 3.5: each kernel has a `run` of its own, which a launch does not call."""

    def __init__(self, fn: Callable[..., None], debug: bool = False) -> None:
        self.fn, self.arg_names, self.debug = fn, ["x"], debug
        self.run: Any = lambda *args, **named: None

    def rewrite(self) -> Callable[..., None]:
        return self.fn

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return self.fn


class Executor:
    def __init__(self, fn: Callable[..., None], arg_names: list[str], grid: Any) -> None:
        assert arg_names == ["x"]
        self.fn, self.grid = fn, grid

    def __call__(self, *args: Any, **named: Any) -> None:
        for _ in range(self.grid[0]):
            self.fn(*args, **named)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Any:
    class Kind(Older):
        pass

    monkeypatch.setattr(interpreter, "InterpretedFunction", Kind)
    monkeypatch.setattr(interpreter, "GridExecutor", Executor)
    level_interpreter()
    return Kind


def test_a_launch_calls_the_run_of_the_class(kernel: Any) -> None:
    calls: list[Any] = []
    made = kernel(lambda x: calls.append(x), debug=True)
    original, seen = kernel.run, []

    def watched(self: Any, *args: Any, **named: Any) -> None:
        seen.append((args, named))
        original(self, *args, **named)

    kernel.run = watched
    made[(2,)](x=1)
    # As the autotuner does.
    made.run(2, grid=(1,), warmup=False)
    assert calls == [1, 1, 2]
    assert seen == [((), {"x": 1, "grid": (2,), "warmup": False}),
                    ((2,), {"grid": (1,), "warmup": False})]  # fmt: skip
    assert made.debug


def test_a_warmup_launch_runs_no_code(kernel: Any) -> None:
    calls: list[Any] = []
    kernel(lambda x: calls.append(x)).run(1, grid=(1,), warmup=True)
    assert not calls


def test_a_newer_triton_interpreter_is_not_patched() -> None:
    before = dict(vars(interpreter.InterpretedFunction))
    level_interpreter()
    assert dict(vars(interpreter.InterpretedFunction)) == before
