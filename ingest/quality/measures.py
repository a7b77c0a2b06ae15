"""One measure for each gate: a number, and a sentence about it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from curation.characters import InvisibleCharacter, invisible, listed
from curation.kinds.dataflow import LOADS, STORES, identifiers, ranged_names
from curation.kinds.reading import Call, Reading
from ingest.candidate import Candidate
from ingest.extract.syntax import captures, text_of


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured number. If the measure does not apply, the number is None and the gate passes."""

    value: float | None
    message: str


def has_jit(item: Candidate, reading: Reading) -> Measured:
    kernel = reading.kernel
    around = kernel.parent if kernel is not None else None
    for node in around.children if around is not None else ():
        if node.type == "decorator" and JIT.search(text_of(node)):
            return Measured(1, f"It is decorated by `{_first_line(node)}`.")
    wrapped = re.search(rf"\bjit\s*\(\s*{re.escape(_plain(item.kernel.name))}\b", reading.text)
    if wrapped:
        return Measured(1, f"It is wrapped: `{' '.join(wrapped[0].split())}`.")
    return Measured(0, "Nothing makes it a kernel: no decorator is `jit`, and no call wraps it.")


def bounds_masking(_: Candidate, reading: Reading) -> Measured:
    """Measure the share of block accesses with a mask or a block pointer's boundary check.

    Accesses to single values do not count: in a correct program, such an address is in bounds.
    """
    ranged = ranged_names(reading)
    accesses = [c for c in reading.named("tl.load", "tl.store") if _is_block(c, ranged)]
    if not accesses:
        return Measured(None, "It has no load and no store of a block that could be masked.")
    bare = [call for call in accesses if not _is_guarded(call)]
    guarded = len(accesses) - len(bare)
    where = f"; line {bare[0].line} isn't: `{bare[0].text}`" if bare else ""
    message = f"{guarded} of {len(accesses)} loads and stores of blocks are masked{where}."
    return Measured(guarded / len(accesses), message)


def program_id(_: Candidate, reading: Reading) -> Measured:
    calls = reading.named("tl.program_id")
    if calls:
        return Measured(1, f"Line {calls[0].line} asks which program it is: `{calls[0].text}`.")
    return Measured(0, "It never asks which program it is: every program would do the same.")


def block_size(_: Candidate, reading: Reading) -> Measured:
    """Measure whether a constexpr parameter sets the size of a block."""
    constants = _constexprs(reading)
    for call in reading.named("tl.arange", "tl.zeros", "tl.full", "tl.make_block_ptr"):
        used = [n for n in constants if re.search(rf"\b{re.escape(n)}\b", call.text)]
        if used:
            return Measured(1, f"The constexpr `{used[0]}` sizes its blocks, line {call.line}.")
    return Measured(0, "No constexpr parameter gives its blocks their size.")


def load_store(_: Candidate, reading: Reading) -> Measured:
    loads = reading.named(*LOADS)
    stores = [call for call in reading.calls if call.name in STORES or ".atomic_" in call.name]
    words = [w for w, found in (("load", loads), ("store", stores)) if not found]
    if words:
        return Measured(0, f"It has no {' and no '.join(words)}.")
    return Measured(1, f"It loads {len(loads)} and stores {len(stores)} times.")


def docstring(_: Candidate, reading: Reading) -> Measured:
    statements = _statements(reading)
    first = statements[0].named_children if statements else []
    if first and first[0].type in {"string", "concatenated_string"}:
        return Measured(1, "It has a docstring.")
    return Measured(0, "It has no docstring.")


def parses(_: Candidate, reading: Reading) -> Measured:
    if reading.parsed:
        return Measured(1, "It parses.")
    error = _first_error(reading)
    where = f" from line {error.start_point.row + 1} on" if error is not None else ""
    return Measured(0, f"It doesn't parse{where}.")


def standalone(item: Candidate, _: Reading) -> Measured:
    if item.unit.standalone:
        return Measured(1, "Every name that it uses is defined in its unit.")
    reasons = " ".join(item.unit.reasons)
    return Measured(0, reasons or "It uses names that its unit doesn't define.")


def not_a_stub(_: Candidate, reading: Reading) -> Measured:
    work = [node for node in _statements(reading) if not _is_idle(node)]
    if work:
        return Measured(1, f"Its body has {len(work)} statements that do something.")
    return Measured(0, "It is a stub: its body does nothing.")


def not_a_test_double(item: Candidate, reading: Reading) -> Measured:
    """Measure whether a kernel in a test file is a test double, judged by its name or its size."""
    path = PurePosixPath(item.kernel.path)
    location = f"It is from the test file {item.kernel.path}"
    in_test = TEST_FILE.search(path.name) or {*path.parts[:-1]} & {"test", "tests", "testing"}
    if not in_test:
        return Measured(1, "It isn't from a test file.")
    if DOUBLE.search(_plain(item.kernel.name).lower()):
        return Measured(0, f"{location} and named `{item.kernel.name}`.")
    statements = len(_statements(reading))
    if statements <= TRIVIAL_STATEMENTS:
        return Measured(0, f"{location} and has {statements} statements.")
    return Measured(1, f"{location}, but neither named so nor trivial.")


def has_launcher(item: Candidate, _: Reading) -> Measured:
    if item.unit.launcher_source:
        return Measured(1, "Its repository has host code that launches it.")
    return Measured(0, "No host code that launches it was found.")


def lines(item: Candidate, _: Reading) -> Measured:
    count = sum(1 for line in item.kernel.source.splitlines() if line.strip())
    return Measured(count, f"It has {count} lines that aren't empty.")


def tokens(item: Candidate, _: Reading) -> Measured:
    return Measured(item.tokens, f"It has {item.tokens} tokens.")


def commented_share(item: Candidate, reading: Reading) -> Measured:
    if reading.kernel is None:
        return Measured(None, "There is no function to look for comments in.")
    line_count = sum(1 for line in text_of(reading.kernel).splitlines() if line.strip())
    comments = captures("(comment) @comment", reading.kernel).get("comment", ())
    commented = {node.start_point.row for node in comments}
    share = len(commented) / line_count if line_count else 0.0
    return Measured(share, f"{len(commented)} of {line_count} lines hold a comment.")


def magic_number_share(_: Candidate, reading: Reading) -> Measured:
    """Measure the share of numbers except 0, 0.5, powers of two and tiny ones such as 1e-5."""
    if reading.kernel is None:
        return Measured(None, "There is no function to look for numbers in.")
    numbers = captures("[(integer) (float)] @number", reading.kernel).get("number", ())
    values = [text_of(node) for node in numbers]
    magic = [value for value in values if not _is_plain(value)]
    some = f", such as {', '.join(list(dict.fromkeys(magic))[:3])}" if magic else ""
    share = len(magic) / len(values) if values else 0.0
    return Measured(share, f"{len(magic)} of {len(values)} numbers explain nothing{some}.")


def invisible_characters(item: Candidate, reading: Reading) -> Measured:
    """Count characters that make code look like different code.

    Attack: a bidirectional control or a zero-width character hides from a reviewer what the code
        does. Defense: each counts; in comments and strings, only controls and tag characters count.
    """
    texts = _texts(item, reading)
    return _counted([(where, invisible(text)[0]) for where, text in texts])


def unusual_characters(item: Candidate, reading: Reading) -> Measured:
    """Count no-break spaces, emoji joiners and similar characters in comments and strings."""
    texts = _texts(item, reading)
    return _counted([(where, invisible(text)[1]) for where, text in texts])


def _texts(item: Candidate, reading: Reading) -> list[tuple[str, str]]:
    return [("", reading.text), (" of its launcher", item.unit.launcher_source or "")]


def _counted(occurrences: Sequence[tuple[str, Sequence[InvisibleCharacter]]]) -> Measured:
    count = sum(seen.count for _, every in occurrences for seen in every)
    if not count:
        return Measured(0, "No character of it is invisible.")
    listing = "; ".join(f"{listed(every)}{where}" for where, every in occurrences if every)
    return Measured(count, f"Invisible: {listing}.")


Measure = Callable[[Candidate, Reading], Measured]
MEASURES: dict[str, Measure] = {
    measure.__name__: measure
    for measure in (
        *(has_jit, bounds_masking, program_id, block_size, load_store, docstring),
        *(parses, standalone, not_a_stub, not_a_test_double, has_launcher, lines, tokens),
        *(commented_share, magic_number_share, invisible_characters, unusual_characters),
    )
}

OF_TRITON = frozenset({"has_jit", "bounds_masking", "program_id", "block_size", "load_store"})
"""Gates that are not for Pallas kernels.

A function is a Pallas kernel because of `pallas_call`, which also cuts it into blocks. A Pallas
kernel reads and writes references by subscripts.
"""

JIT = re.compile(r"^@[^(]*\bjit\b|\bpartial\([\w.]*jit\b")
TEST_FILE = re.compile(r"^test_|_test\.py$|^conftest\.py$")
DOUBLE = re.compile(r"dummy|mock|fake|stub|noop|no_op|^empty|^foo|^bar|example|^kernel\d*$")
TRIVIAL_STATEMENTS = 4


def _is_block(call: Call, ranged: frozenset[str]) -> bool:
    address = call.argument(0, "pointer")
    if address is None:
        return False
    return "arange(" in text_of(address) or bool(identifiers(address) & ranged)


def _is_guarded(call: Call) -> bool:
    if "mask" in call.keywords or "boundary_check" in call.keywords:
        return True
    # load(pointer, mask), store(pointer, value, mask)
    return len(call.arguments) > (1 if call.name == "tl.load" else 2)


def _constexprs(reading: Reading) -> list[str]:
    kernel = reading.kernel
    parameters = kernel.child_by_field_name("parameters") if kernel is not None else None
    names: list[str] = []
    for node in parameters.named_children if parameters is not None else ():
        annotation = node.child_by_field_name("type")
        if annotation is not None and "constexpr" in text_of(annotation):
            names.append(re.split(r"[:\s]", text_of(node), maxsplit=1)[0])
    return names


def _statements(reading: Reading) -> list[Node]:
    body = reading.kernel.child_by_field_name("body") if reading.kernel is not None else None
    return [n for n in body.named_children if n.type != "comment"] if body is not None else []


IDLE = frozenset({"pass_statement", "return_statement", "assert_statement", "raise_statement"})


def _is_idle(statement: Node) -> bool:
    """Return whether a statement only is `pass`, a string, `assert`, `raise` or `return x`."""
    if statement.type == "expression_statement" and statement.named_children:
        return statement.named_children[0].type in {"string", "concatenated_string", "ellipsis"}
    if statement.type == "return_statement":
        value = statement.named_children
        return not value or value[0].type in {"none", "identifier", "integer"}
    return statement.type in IDLE


def _is_plain(number: str) -> bool:
    try:
        value = float(int(number.replace("_", ""), 0)) if "." not in number else float(number)
    except OverflowError:
        return False
    except ValueError:
        return "e-" in number.lower() or "inf" in number
    if math.isinf(value):
        return False
    return value in {0.0, 0.5, 1.0} or (value > 0 and value == int(value) and not _odd_bits(value))


def _odd_bits(value: float) -> bool:
    whole = int(value)
    return bool(whole & (whole - 1))


def _first_error(reading: Reading) -> Node | None:
    found = captures("(ERROR) @error", reading.root).get("error", ()) if reading.root else ()
    return next(iter(found), None)


def _plain(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def _first_line(node: Node) -> str:
    return text_of(node).partition("\n")[0][:80]
