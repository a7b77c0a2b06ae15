"""Program in the sandbox that runs a draft on its own cases, with kernels that do nothing.

The answer contains digests of the inputs and of the reference's results, the recorded program of
the Triton code, and what the instrumented texts recorded.
"""

import ast
import builtins
import copy
import hashlib
import platform
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from time import process_time
from types import SimpleNamespace
from typing import Any

import torch
import triton
from triton.runtime.jit import KernelInterface

from validation.harness.recorder.recorded_values import function_of
from validation.harness.recorder.recording import Recording, RecordingSession
from validation.harness.recorder.storages import storages_in
from validation.harness.recorder.tracer import tracer
from validation.harness.torch_operations import ARRANGES, COMPUTES, base_name
from validation.harness.worker import folder
from validation.harness.worker.folder import described as complaint
from validation.harness.worker.gradients import cotangents
from validation.harness.worker.question import roles
from validation.harness.worker.values import Packing, name_of, tensors_in
from validation.observing.canonical_program import Program
from validation.observing.instrument import Notes, described, instrumented
from validation.observing.sizes import Row, Shapes, find_constants, find_inputs, reduced

Json = Any
SEED = 7
# CPU seconds of a question after which no more trials begin.
TRIALS_SECONDS = 12.0
# GPU properties that host code reads, with the values of an H200.
GPU = SimpleNamespace(
    name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, total_memory=150_000_000_000,
    shared_memory_per_block_optin=232_448, warp_size=32, max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65_536, L2_cache_size=62_914_560,
)  # fmt: skip


class IdleRecording(Recording):
    """Recording of launches with named arguments. Its reads return the present content."""

    def __init__(self, inputs: list[torch.Tensor], notes: Notes) -> None:
        super().__init__(RecordingSession(), inputs)
        self.notes = notes

    def launch(
        self, kernel: Any, bound: dict[str, Any], grid: Any, options: dict[str, Any]
    ) -> None:
        name = function_of(kernel).__name__
        arguments = {each: self.values.encode(value) for each, value in bound.items()}
        self.emit(do="launch", kernel=name, grid=grid, arguments=arguments, options=repr(options))
        self.storages.data |= storages_in([*arguments.values()])
        constants = ((each, described(value)) for each, value in bound.items())
        self.notes.add("launch", name, tuple((each, value) for each, value in constants if value))

    def read(self, tensor: torch.Tensor) -> list[Any]:
        self.notes.add("read")
        return list(tensor.detach().reshape(-1).tolist())


def answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return _reduced(request) if "most" in request else _observed(request)
    except BaseException as error:  # noqa: BLE001 - SystemExit too is the draft's answer
        return {"error": complaint(error)}


def _reduced(request: dict[str, Any]) -> dict[str, Any]:
    """Return the cases with smaller sizes, and the smaller constants of `make_inputs`."""
    folder.lay_out({name: request[name] for name in folder.NAMES})
    test = folder.load("test_code")
    made = find_inputs(request["test_code"])

    def shapes(row: Row, sizes: Row) -> Shapes:
        """Return the shapes of a case's inputs, with changed constants in `make_inputs`."""
        tree = copy.deepcopy(made)
        for key, node in find_constants(tree):
            node.value = sizes.get(key, node.value)
        names = dict(vars(test))
        exec(compile(ast.Module([tree], []), "test_code.py", "exec"), names)  # noqa: S102
        # On `meta` there are no values, which may decide what else is made.
        for device in ("meta", "cpu"):
            with suppress(Exception):
                inputs = names["make_inputs"](dict(row), device)
                return [[*each.shape] for each in tensors_in(inputs)]
        return []

    constants = {key: node.value for key, node in find_constants(made)}
    rows, smaller = reduced(test.CASES, constants, shapes, request["most"])
    return {"rows": rows, "constants": smaller}


def _observed(request: dict[str, Any]) -> dict[str, Any]:
    # A second run with another seed and unfilled memory shows results that depend on either.
    torch.manual_seed(SEED + request["again"])
    torch.use_deterministic_algorithms(not request["again"], warn_only=True)
    notes = Notes()
    texts = {name: instrumented(request[name]) for name in folder.NAMES}
    for name in folder.NAMES:
        # Conditions at module level run before names can be set in the module from outside.
        for key, function in notes.names(name).items():
            setattr(builtins, f"{key}_{name}", function)
            texts[name] = texts[name].replace(f"{key}(", f"{key}_{name}(")
    folder.lay_out(texts)
    test, triton_code = folder.load("test_code"), folder.load("triton_code")
    differentiable, trials = request["differentiable"], request["trials"]
    rows = [dict(case) for case in test.CASES]
    tuned: dict[str, set[str]] = {}
    for value in vars(triton_code).values():
        if isinstance(value, KernelInterface):
            kernel, names = _tuned(value)
            tuned.setdefault(kernel, set()).update(names)
    return {
        "notes": notes.take(),
        "cases": [_run(test, row, notes, differentiable=differentiable) for row in rows],
        "trials": [_tried(test, rows, each, notes, differentiable) for each in trials],
        "rows": [{key: part for key, part in row.items() if _is_plain(part)} for row in rows],
        "fixed": [str(name) for name in getattr(test, "FIXED", ())],
        "constants": {
            name: described(getattr(value, "value", value))
            for name, value in vars(triton_code).items()
        },
        "tuned": {kernel: sorted(names) for kernel, names in tuned.items()},
    }


def _is_plain(value: Any) -> bool:
    parts = value if isinstance(value, tuple | list) else [value]
    return all(type(part) in (int, str) for part in parts)


def _tuned(kernel: Any) -> tuple[str, set[str]]:
    """Return a kernel's name, and the arguments that its configurations decide."""
    names, heuristics = set[str](), set[str]()
    while isinstance(kernel, KernelInterface):
        names |= {name for each in getattr(kernel, "configs", ()) for name in each.kwargs}
        heuristics |= {*getattr(kernel, "values", ())}
        kernel = kernel.fn
    return kernel.__name__, names | heuristics if names else names


def _tried(
    test: Any, rows: Json, trial: Mapping[str, Any], notes: Notes, differentiable: bool
) -> Json:
    """Return the facts of a case with other sizes, or None if it fails."""
    row = dict(rows[trial["of"]])
    for key, size in trial["sizes"].items():
        row[key] = tuple(size) if isinstance(row.get(key), tuple) else size
    try:
        if process_time() > TRIALS_SECONDS:
            return None
        run = _run(test, row, notes, differentiable=differentiable)
        return run if run["agrees"] else None
    except Exception:  # noqa: BLE001 - the draft does not take these sizes
        return None
    finally:
        notes.take()


def _run(test: Any, case: dict[str, Any], notes: Notes, *, differentiable: bool) -> Json:
    torch.manual_seed(SEED)
    inputs = test.make_inputs(case, "cpu")
    given = [_facts(each) for each in inputs]
    # Raises if an input is neither a tensor nor a plain value. Results are checked below.
    Packing().inputs(inputs)
    copies, ours = (_leaves(inputs) if differentiable else _copied(inputs) for _ in range(2))
    torch.manual_seed(SEED)
    results = test.reference(*copies)
    Packing().plain(results)
    gradients = _gradients(results, copies) if differentiable else None
    # Writes of the reference to its inputs are a part of its results.
    changed = [
        after
        for before, after in zip(given, copies, strict=True)
        if _digest(after) != before["digest"]
    ]
    expected = [results, gradients, changed]
    recording = IdleRecording(tensors_in(ours), notes)
    recording.graph.add_leaves(tensors_in(ours))
    torch.manual_seed(SEED)
    recorder = tracer()
    with recorder.recorded_by(recording):
        made = test.candidate(*ours)
        with recorder.paused():
            returned = recording.answer(made)
        problems = [*recording.problems]
        if differentiable:
            with recorder.paused():
                outputs = [tensor for tensor in tensors_in(made) if tensor.requires_grad]
                upstream = cotangents(outputs, SEED, expanded=False)
            recording.graph.begin_backward_pass()
            leaves = [tensor for tensor in tensors_in(ours) if tensor.requires_grad]
            torch.autograd.grad(outputs, leaves, upstream, allow_unused=True)
    unrepeated = recording.problems.keys() - problems
    backwards = [each["instructions"] for each in recording.graph.backwards.values()]
    shapes = [[each.shape for each in tensors_in(part)] for part in (results, made)]
    return {
        "inputs": given,
        "types": [_types(inputs), _types(results), _types(made)],
        "beside": [sorted(problems), sorted({*_computed(backwards), *unrepeated})],
        "reference": _digest(expected),
        "program": Program(recording.as_json(returned)).steps(),
        "agrees": shapes[0] == shapes[1],
        "notes": notes.take(),
    }


def _types(value: Any) -> list[str | None]:
    """Return the dtype of each tensor. None stands for None, and "" for any other value."""
    return [
        name_of(each.dtype) if isinstance(each, torch.Tensor) else "" if each is not None else None
        for each in (value if isinstance(value, tuple | list) else [value])
    ]


def _computed(part: Json) -> list[str]:
    """Return the torch operations in recorded instructions that compute something."""
    match part:
        case list():
            return sorted({name for each in part for name in _computed(each)})
        case {"do": "operation", "name": str(name)} if base_name(name) in COMPUTES - ARRANGES:
            return [base_name(name)]
        case {"instructions": inner}:
            return _computed(inner)
    return []


def _leaves(inputs: Any) -> list[Any]:
    """Return inputs with new leaves: the marked ones, or if none is marked, the floating ones."""
    tensors = [each for each in inputs if isinstance(each, torch.Tensor)]
    marked = {id(each) for each in tensors if each.requires_grad}
    marked = marked or {id(each) for each in tensors if each.is_floating_point()}
    return [each.detach().requires_grad_() if id(each) in marked else each for each in inputs]


def _copied(inputs: Any) -> list[Any]:
    return [each.detach().clone() if isinstance(each, torch.Tensor) else each for each in inputs]


def _gradients(results: Any, leaves: list[Any]) -> Any:
    outputs = [tensor for tensor in tensors_in(results) if tensor.requires_grad]
    inputs = [tensor for tensor in tensors_in(leaves) if tensor.requires_grad]
    upstream = cotangents(outputs, SEED, expanded=False)
    return torch.autograd.grad(outputs, inputs, upstream, allow_unused=True)


def _facts(value: Any) -> Json:
    """Return the facts of an input: its literal, or the shape, dtype and content of a tensor."""
    if not isinstance(value, torch.Tensor):
        written = str(value) if isinstance(value, torch.dtype) else described(value)
        if isinstance(value, tuple | list):
            written = str([*value])
        return {"value": written, "digest": _digest(value)}
    return {"shape": [*value.shape], "dtype": name_of(value.dtype), "digest": _digest(value),
            "zeros": not value.any()}  # fmt: skip


def _digest(value: Any) -> str:
    """Return a digest of the content, layout and dtype of tensors, and of plain values."""
    digest = hashlib.sha256()

    def add(part: Any) -> None:
        if isinstance(part, torch.Tensor):
            tensor = part.detach().contiguous()
            digest.update(f"{name_of(part.dtype)}{[*part.shape]}{[*part.stride()]}".encode())
            digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        elif isinstance(part, tuple | list):
            digest.update(f"{type(part).__name__}{len(part)}".encode())
            for each in part:
                add(each)
        else:
            digest.update(repr(part).encode())

    add(value)
    return digest.hexdigest()[:16]


def up(settings: Mapping[str, Any]) -> dict[str, str]:
    torch.set_num_threads(1)
    cuda: Any = torch.cuda
    cuda.get_device_properties = lambda *_: GPU
    cuda.get_device_capability = lambda *_: (GPU.major, GPU.minor)
    cuda.get_device_name = lambda *_: GPU.name
    cuda.device = lambda *_: nullcontext()
    # Some launchers refuse tensors that are not on a GPU.
    tensor: Any = torch.Tensor
    tensor.is_cuda = property(lambda _: True)
    return {"torch": torch.__version__, "triton": triton.__version__,
            "python": platform.python_version()}  # fmt: skip


ROLES = roles(answer)
HAS_COMPILE_BUDGET = False
