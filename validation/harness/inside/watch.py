"""What the launcher does: each of torch's operations passes through here, and each launch.

Torch allocates and moves, Triton computes. An operation on data that is neither is noted, and the
veil keeps it from the truth.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._ops import OpOverload

from validation.harness.inside import callbacks, gpu
from validation.harness.inside.engine import JOINS, Engine, overlap
from validation.harness.inside.guards import Guarded, guarded
from validation.harness.inside.hidden import hidden, table
from validation.harness.inside.quiet import Quiet
from validation.harness.inside.reach import Reach, Way
from validation.harness.inside.tampering import Broken
from validation.harness.inside.values import rebuilt, tensors_in
from validation.harness.inside.veil import CLONE, COPY, Veil

LIKE = frozenset({
    "empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like",
    "new_empty", "new_empty_strided", "new_zeros", "new_ones", "new_full",
})  # fmt: skip
UNFILLED = frozenset({"empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided"})
VIEWS = frozenset({
    "detach", "alias", "_unsafe_view", "lift_fresh", "is_pinned", "is_same_size", "set_",
    "record_stream", "_version", "resize_", "is_set_to",
})  # fmt: skip
MOVES = frozenset({"clone", "_to_copy", "copy_", "contiguous", "zero_", "fill_", "lift_fresh_copy"})


Operation = tuple[OpOverload, Callable[..., Any]]
Operations = Callable[[int], Operation | None]


def _operations(names: Iterable[str]) -> Operations:
    """Torch's own of these names, and what they call in C, by where they are: others may call
    theirs the same, or have torch's call another."""
    each = [operator.attrgetter(name)(torch.ops.aten) for name in names]
    return table({id(operation): (operation, operation._op) for operation in each})


def _overloads(names: Iterable[str]) -> Operations:
    """All that bear these names, but what writes where its caller says."""
    packets = {name: getattr(torch.ops.aten, name).overloads() for name in names}
    each = [f"{name}.{one}" for name, overloads in packets.items() for one in overloads]
    return _operations(name for name in each if not name.endswith("out"))


moving, joining = _overloads(MOVES), _operations(JOINS)
reading = _overloads(["_local_scalar_dense"])
ADD = torch.ops.aten.add.Tensor
# A launcher may look at a few numbers, such as a length; not at a tensor's worth of them.
READS_MOST = 32
MOST_STRAYS = 5


class Watch:
    """`pattern` fills what the launcher allocates; `idle` makes every launch do nothing. `broken`
    names what was replaced of what judges: then nothing is shown any more."""

    def __init__(self, *, pattern: int, veiled: bool, broken: Broken, idle: bool = False) -> None:
        self.veil = Veil(on=veiled)
        self.broken = broken
        self.patched: set[str] = set()
        self.pattern = pattern
        self.idle = idle
        self.paused = self.launching = False
        self.guards: list[Guarded] = []
        self.reach: Reach | None = None
        self.strays: list[str] = []
        self.launches: Counter[str] = Counter()
        self.foreign: Counter[str] = Counter()
        self.computed: Counter[str] = Counter()
        self.reads = 0
        self.engine = Engine()
        self.home = gpu.stream_in_use()

    def operation(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Called in place of each of torch's operations."""
        if self.paused:
            self._note_in_kernel(func, args, kwargs)
            return func(*args, **kwargs)
        return self._operation(func, args, kwargs)

    def _note_in_kernel(self, func: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """In the interpreter a kernel is Python, and could ask torch from inside."""
        name = func._schema.name.partition("::")[2]
        moves = func.is_view or name in VIEWS | MOVES | LIKE
        if self.launching and not moves and tensors_in((args, kwargs)):
            self.computed[f"{func} within a kernel"] += 1

    def _operation(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        name = func._schema.name.partition("::")[2]
        given = tensors_in((args, kwargs))
        self._meet(given)
        if not given or name in LIKE:
            return self._allocated(func(*args, **kwargs), filled=name not in UNFILLED)
        if func.is_view or name in VIEWS or torch.Tag.inplace_view in func.tags:
            return func(*args, **kwargs)
        data = [tensor for tensor in given if self.veil.holds_data(tensor)]
        if not data:
            return self._known(func(*args, **kwargs))
        # Whoever made a kind of tensor of his own would be called while its data is shown.
        plain = all(id(type(tensor)) in callbacks.TENSORS for tensor in given)
        if plain and (read := reading(id(func))):
            self.reads += 1
            some = data if self.reads <= READS_MOST else ()
            return self._shown(some, read[1], args, kwargs)
        # Some signs are only taken note of until somebody copies.
        noted = any(tensor.is_neg() or tensor.is_conj() for tensor in given)
        if plain and not noted and (run := self._moving(func)):
            return self._move(func, run, args, kwargs, data)
        self.computed[f"{func}"] += 1
        answer = self._known(func(*args, **kwargs))
        self.veil.cover(tensors_in(answer))
        return answer

    def _moving(self, func: Any) -> Callable[..., Any] | None:
        """How to do it, if it is no computing."""
        if moves := moving(id(func)):
            return moves[1]
        joins = joining(id(func))
        if not joins or not self.engine.works():
            return None
        run = joins[1]

        def joined(*args: Any, **kwargs: Any) -> Any:
            if func is ADD and (kwargs or overlap(*args)):
                self.computed[f"{func}"] += 1
            return run(*args, **kwargs)

        return joined

    def _move(
        self, func: Any, run: Any, args: Any, kwargs: dict[str, Any], data: list[torch.Tensor]
    ) -> Any:
        source = tensors_in((args, kwargs))[-1]
        fresh = not func._schema.is_mutable
        answer = self._shown(data, run, args, kwargs)
        if isinstance(answer, torch.Tensor) and answer.device.type != source.device.type:
            self.computed[f"{func} to {answer.device.type}"] += 1
            return answer.zero_() if fresh else answer
        if fresh:
            answer = self._allocated(answer, filled=True)
        if fresh or self.veil.holds_data(source):
            self.veil.cover(tensors_in(answer))
        return answer

    def _shown(self, data: Iterable[torch.Tensor], run: Any, args: Any, kwargs: Any) -> Any:
        """The operation on the truth about these."""
        quiet = Quiet()
        try:
            self._show(quiet, data)
            return run(*args, **kwargs)
        finally:
            self.veil.lower()
            quiet.end()

    def copies(self, tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
        """Of the truth about torch's own of these, where nobody looks for it."""
        plain = [tensor.detach() for tensor in tensors if id(type(tensor)) in callbacks.TENSORS]
        self.paused = True
        try:
            copied: list[torch.Tensor] = self._shown(plain, lambda: list(map(CLONE, plain)), (), {})
            return copied
        finally:
            self.paused = False

    def _show(self, quiet: Quiet, data: Iterable[torch.Tensor] | None = None) -> None:
        """Not where somebody would look: who put himself in a judge's place, or is called whatever
        runs."""
        self.patched.update(self.broken())
        found = [f"{words} while data is shown" for words in callbacks.anywhere()]
        self.computed.update(found)
        if not (self.patched or found):
            quiet.begin()
            self.veil.lift(data)

    def _allocated(self, answer: Any, *, filled: bool) -> Any:
        """The same in guarded memory, poisoned where nothing was written yet."""

        def moved(tensor: torch.Tensor) -> torch.Tensor:
            if tensor.layout is not torch.strided or not tensor.numel() or tensor.is_meta:
                return tensor
            if tensor.is_pinned():
                self.veil.know(tensor)
                return tensor
            size = tensor.untyped_storage().nbytes()
            memory = guarded(
                size, tensor.device, self.pattern, f"a {list(tensor.shape)} tensor of its own"
            )
            self.guards.append(memory)
            inner = memory.tensor(tensor)
            if filled:
                COPY(inner, tensor)
            self.veil.know(inner)
            return inner

        return rebuilt(answer, moved)

    def _meet(self, given: Iterable[torch.Tensor]) -> None:
        """What nobody knew when a kernel ran, and a GPU can reach, holds what that was told to put
        there. In the interpreter a kernel is seen to write there."""
        for tensor in given:
            if tensor.layout is not torch.strided or self.veil.knows(tensor):
                continue
            self.veil.know(tensor)
            if self.launches and (tensor.is_cuda or tensor.is_pinned()):
                self.veil.cover([tensor])

    def _known(self, answer: Any) -> Any:
        for tensor in tensors_in(answer):
            self.veil.know(tensor)
        return answer

    def _aside(self) -> bool:
        """Whether the launcher went to a stream other than its caller's."""
        return self.home is not None and torch.cuda.current_stream() != self.home

    def launch(self, kernel: Any, run: Callable[..., Any], args: Any, named: Any) -> Any:
        """Called in place of a kernel's `run`."""
        function = kernel.fn
        name = getattr(function, "__name__", "?")
        if getattr(function, "__globals__", {}).get("__name__") != "triton_code":
            self.foreign[name] += 1
            return run(kernel, *args, **named)
        self.launches[name] += 1
        if self.idle:
            return None
        # It may write to memory that torch was kept from seeing.
        self._known(callbacks.memory_among((*args, *named.values())))
        if found := callbacks.unwelcome(kernel, args, named):
            self.computed.update(f"{words} within a launch" for words in found)
            return None
        self.paused = True
        try:
            # What the compiler asks of the entry's code, it asks now; an interpreter has none.
            compiled = run(kernel, *args, **{**named, "warmup": True})
            if not callbacks.compiled_by_triton(compiled):
                self.computed["a compiled kernel of its own within a launch"] += 1
                return None
            return self._launched(kernel, run, args, named)
        finally:
            self.paused = False

    def touch(self, way: Way, arguments: tuple[Any, ...]) -> None:
        """Called before a kernel in the interpreter loads or stores."""
        if not self.launching or len(self.strays) == MOST_STRAYS:
            return
        self.reach = self.reach or Reach(self.veil.extents())
        if words := self.reach.strays(way, arguments):
            self.strays.append(words)

    def _launched(self, kernel: Any, run: Callable[..., Any], args: Any, named: Any) -> Any:
        grid, aside = named["grid"], self._aside()
        quiet = Quiet()
        held: list[Any] = []

        def size(meta: Any) -> tuple[int, ...]:
            """The last that Triton asks before the kernel runs: only now the data is shown. What
            it is asked with is what the kernel is launched with: not to be changed, nor to end, and
            have somebody hear of it, before all is hidden again."""
            held.extend(meta.values())
            self.paused = False
            asked = grid({**meta}) if callable(grid) else grid
            held.append(asked)
            answer = tuple(int(each) for each in asked)
            self.paused = True
            self._show(quiet)
            if aside and self.veil.on:
                torch.cuda.synchronize()
            elif aside:
                gpu.delay()
            self.launching, self.reach = True, None
            return answer

        hooks = getattr(kernel, "pre_run_hooks", None)
        hold = hidden(lambda *given, **named: held.append((given, named)))
        try:
            if type(hooks) is list:
                hooks.insert(0, hold)
            return run(kernel, *args, **{**named, "grid": size})
        finally:
            self.launching, self.paused = False, True
            if aside and self.veil.on:
                torch.cuda.synchronize()
            self.veil.lower(launched=True)
            quiet.end()
            if type(hooks) is list:
                hooks[:] = [hook for hook in hooks if hook is not hold]
