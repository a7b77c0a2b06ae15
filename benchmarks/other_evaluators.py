"""Ask the evaluators of KernelBench and BackendBench about one entry, in a process of its own."""

import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import torch

from benchmarks.compared_entries import Item, load

ACCEPTED, REJECTED, NO_ANSWER = "accepted", "rejected", "no answer"
# Imports of KernelBench that its evaluation does not use. Those that are missing become stubs.
UNUSED = {"dotenv": "load_dotenv", "litellm": "completion", "openai": "OpenAI", "requests": "get",
          "tqdm": "tqdm"}  # fmt: skip
# An answer, its reason in one word, and the details.
Judgment = tuple[str, str, str]


def answer_here(evaluator: str, item: Item, prepared: Path, folder: Path) -> None:
    """Evaluate one entry in this process, which ends without any cleanup."""
    os.setsid()
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(folder)
    os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
    entry = prepared / "entries" / item.name
    sys.path[:0] = [str(entry), str(prepared / "evaluators")]
    try:
        answer = EVALUATORS[evaluator](item, entry)
    except BaseException:  # noqa: BLE001 - anything that ends an evaluator is no answer
        answer = NO_ANSWER, "crash", traceback.format_exc()
    (folder / "answer.json").write_text(json.dumps(answer))
    os._exit(0)


def ask_kernelbench(item: Item, entry: Path) -> Judgment:
    return _kernelbench(item, entry, all_checks=False)


def ask_kernelbench_with_all_checks(item: Item, entry: Path) -> Judgment:
    return _kernelbench(item, entry, all_checks=True)


def _kernelbench(item: Item, entry: Path, *, all_checks: bool) -> Judgment:
    replace_missing_imports()
    evaluation = importlib.import_module("kernelbench.eval")
    checker = importlib.import_module("kernelbench.kernel_static_checker")
    candidate = (entry / "candidate.py").read_text()
    if all_checks:
        valid, errors, _ = checker.validate_kernel_static(
            candidate, backend="triton", precision=item.precision
        )
        if not valid:
            return REJECTED, "static checker", str(errors)
    try:
        result = evaluation.eval_kernel_against_ref(
            (entry / "reference.py").read_text(), candidate, num_correct_trials=5,
            num_perf_trials=100, measure_performance=all_checks, device=torch.device("cuda:0"),
            backend="triton", precision=evaluation.get_torch_dtype_from_string(item.precision),
        )  # fmt: skip
    except Exception:  # noqa: BLE001 - its scripts count any exception as not correct
        return REJECTED, "exception", traceback.format_exc()
    if result is None:
        return NO_ANSWER, "retry", "It asks to be called again."
    detail = str(result.metadata)
    if not result.correctness:
        compared = "correctness_trials" in result.metadata
        return REJECTED, "values" if compared else "error or shape", detail
    if result.metadata.get("excessive_speedup"):
        return REJECTED, "excessive speedup", detail
    return ACCEPTED, "", detail


def ask_backendbench(item: Item, entry: Path) -> Judgment:
    # Without the package's own __init__, which imports backends that generate kernels.
    package = ModuleType("BackendBench")
    package.__path__ = [str(entry.parents[1] / "evaluators/BackendBench")]
    sys.modules["BackendBench"] = package
    evaluation = importlib.import_module("BackendBench.eval")
    inputs, device = load(entry / "entry_inputs.py"), os.environ["INPUTS_ON"]
    tests = [
        SimpleNamespace(args=list(inputs.make_inputs(case, device)), kwargs={})
        for case in inputs.CASES
    ]
    sides = (load(entry / f"{name}_code.py") for name in ("python", "triton"))
    reference, candidate = (getattr(side, item.entry_point) for side in sides)
    try:
        results = evaluation.eval_one_op(reference, candidate, tests, [])[2]
    except Exception:  # noqa: BLE001 - its worker counts any exception as not correct
        return REJECTED, "exception", traceback.format_exc()
    wrong = [result for result in results if not result.is_correct]
    errors = [result.error_msg for result in wrong if result.error_msg]
    reason = "error" if errors else "values" if wrong else ""
    sizes = [getattr(result, "max_abs_error", None) for result in wrong]
    detail = f"{len(wrong)} of {len(results)} wrong, by {sizes} {errors}"
    return REJECTED if wrong else ACCEPTED, reason, detail


EVALUATORS: dict[str, Callable[[Item, Path], Judgment]] = {
    "kernelbench": ask_kernelbench,
    "kernelbench, all checks": ask_kernelbench_with_all_checks,
    "backendbench": ask_backendbench,
}


class Model:
    """Stand-in for pydantic's BaseModel: keyword arguments over the defaults of a class."""

    def __init__(self, **values: object) -> None:
        self.__dict__ |= values


def replace_missing_imports() -> None:
    """Put stubs in the place of packages that this machine lacks."""
    for name, attribute in {**UNUSED, "pydantic": "BaseModel"}.items():
        if importlib.util.find_spec(name) is None:
            stub = ModuleType(name)
            # torch's compiler looks for it.
            stub.__spec__ = ModuleSpec(name, None)
            setattr(stub, attribute, Model)
            sys.modules[name] = stub
