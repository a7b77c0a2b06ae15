"""Reasons why a draft can't become a pair, as its runs show them."""

import re
from collections.abc import Mapping
from typing import Any

from validation.observing.edits import Observed, Texts

Fault = dict[str, str]
"""`missing` is one of the drafts' reasons, and `sentence` explains it to a person."""
CALL = re.compile(r"(\w+)\(\) (?:missing|takes|got an unexpected keyword)")
SIZES = re.compile(
    r"invalid for input of size|must match|out of (range|bounds)|cannot be multiplied"
)
UNKNOWN_NAMES = ("NameError", "UnboundLocalError")
PARTS = {"test_code": "inputs", "python_code": "reference", "triton_code": "triton"}
LAUNCH = re.compile("missing a required argument|too many positional arguments")


def fault_of_error(error: Mapping[str, Any], texts: Texts) -> Fault:
    """Return the fault of a draft that raises this error, if it would do so on any machine."""
    kind, text, place = str(error["type"]), str(error["text"]), str(error["at"])
    if kind == "CannotTravel":
        why = f"Its inputs or results hold {text}, where tensors and plain values go."
        return _fault("inputs", why)
    if kind == "TypeError" and LAUNCH.match(text) and place.startswith("triton_code"):
        return _fault("triton-not-standalone", f"A launch does not fit its kernel: {text}.")
    call = CALL.match(text) if kind == "TypeError" else None
    if call and any(f"def {call[1]}(" in each for each in texts.values()):
        return _fault("no-comparison", f"Its test is out of date: {text}.")
    module = place.partition(".")[0]
    if module in PARTS and (kind in UNKNOWN_NAMES or "_OpNamespace" in text):
        return _fault(f"{PARTS[module]}-not-standalone", f"It lacks a name: {text}.")
    if module == "python_code" and kind in ("RuntimeError", "IndexError") and SIZES.search(text):
        return _fault("no-comparison", f"Its reference raises on its own inputs: {text}.")
    return {}


def fault_of_runs(seen: Observed, again: Observed) -> Fault:
    """Return the fault that two runs with equal inputs show. `again` drew other random numbers."""
    for case, other in zip(seen["cases"], again["cases"], strict=True):
        if case["inputs"] == other["inputs"] and case["reference"] != other["reference"]:
            why = "Its reference draws values of its own, or returns memory that nothing wrote."
            return _fault("no-comparison", why)
    if all(case["beside"][0] for case in seen["cases"]):
        names = ", ".join(seen["cases"][0]["beside"][0])
        why = f"The Triton side leaves work to torch: {names}."
        return _fault("computes-in-torch", why)
    return {}


def _fault(missing: str, sentence: str) -> Fault:
    return {"missing": missing, "sentence": sentence}
