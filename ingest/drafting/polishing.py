"""Polishing of a whole draft: what a reader of the three texts does not need goes.

Every rule keeps what the texts compute. A text that a rule leaves incomplete is not taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection
from dataclasses import replace

from curation.source.text import UNREADABLE, Edits, cached, parse, walk
from ingest.drafting.absent_names import drop_absent
from ingest.drafting.case_keys import drop_unread_keys
from ingest.drafting.conversions import (
    drop_detached,
    drop_every_detach,
    drop_requirements,
    drop_second_conversions,
)
from ingest.drafting.copies import drop_copies
from ingest.drafting.dead_branches import remove_dead_branches
from ingest.drafting.devices import use_devices_of_inputs
from ingest.drafting.docstring_parts import trim_docstrings
from ingest.drafting.drawn_weights import draw_weights
from ingest.drafting.einops_calls import write_einops
from ingest.drafting.entry_names import possible_names, with_own_name
from ingest.drafting.expected import Test
from ingest.drafting.functions import write_functions
from ingest.drafting.helper_names import name_helpers
from ingest.drafting.input_names import name_inputs
from ingest.drafting.lambdas import write_lambdas
from ingest.drafting.layout import wrap_lines
from ingest.drafting.leftovers import remove_leftovers
from ingest.drafting.module_calls import write_module_calls
from ingest.drafting.one_sided import settle_inputs
from ingest.drafting.outcomes import DraftTexts, OperationDraft
from ingest.drafting.parameter_names import drop_unused, name_locals, name_parameters
from ingest.drafting.parameter_order import order_parameters
from ingest.drafting.passed_on import write_arguments, write_calls
from ingest.drafting.plain_references import return_directly, simplify_reference
from ingest.drafting.slices import Cut
from ingest.drafting.standalone import Isolator
from ingest.drafting.suites import SuiteFile
from ingest.drafting.wrappers import find_called, merge_wrappers

ROUNDS = 6
# Empty lines that removed statements left inside of a function.
GAP = re.compile(r"\n\n\n+(?=[ \t]+\S)")
# Empty lines that a removed decorator left.
BEHIND_DECORATOR = re.compile(r"^( *@[^\n]*\n)(?:[ \t]*\n)+(?= *(?:@|def ))", re.M)


Prune = Callable[[str, str, str], str]
"""Returns a new text without the code that it needs no more, given the old text and a name."""


def polish(draft: OperationDraft, test: Test, whole: Cut, isolator: Isolator) -> OperationDraft:
    """Return the draft with texts that are shorter to read, under its operation's name."""
    name = draft.entry_point

    def prune(old: str, new: str, name: str) -> str:
        return _pruned(old, new, name, test.suite, isolator)

    launching = _launching(draft.texts.triton_code, name, differentiable=draft.differentiable)
    texts = order_parameters(draft.texts, name, launching)
    called = find_called(draft.texts.triton_code, name)
    own = possible_names(draft, test.operation, called)
    graded = draft.differentiable
    texts = polish_texts(texts, name, prune, differentiable=graded, reserved=own)
    made = draw_weights(texts.python_code, texts.triton_code, texts.test_code, name)
    texts = name_inputs(replace(texts, test_code=made), name)
    # New names, and helpers that others no longer call, let some rules apply that did not before.
    texts = polish_texts(texts, name, prune, differentiable=graded, reserved=own)
    texts = replace(texts, test_code=drop_unread_keys(texts.test_code))
    return with_own_name(replace(draft, texts=texts), test.operation, called)


def polish_texts(
    texts: DraftTexts,
    name: str,
    prune: Prune,
    *,
    differentiable: bool,
    reserved: Collection[str] = (),
) -> DraftTexts:
    """Return the texts as they are shorter to read. `reserved`: names that no helper may have."""
    triton = texts.triton_code
    written = texts.python_code
    # Before a variable of a side takes the plain name of a parameter.
    written, triton = name_parameters(written, triton, name)
    if not differentiable:
        triton = drop_every_detach(remove_backward(triton))
        written = drop_every_detach(written)
    triton = _merged(_plain(triton), name, differentiable)
    triton = drop_detached(return_directly(triton, name), name, texts.test_code)
    triton = prune(texts.triton_code, triton, name)
    triton = BEHIND_DECORATOR.sub(r"\1", triton)
    python = _merged(_plain(name_helpers(written, name, reserved)), name, differentiable)
    python = drop_detached(drop_second_conversions(python, name), name, texts.test_code)
    python = simplify_reference(write_lambdas(python, name), name, texts.test_code)
    python = prune(texts.python_code, python, name)
    made = texts.test_code
    settled = settle_inputs(python, triton, made, name)
    if settled != (python, triton, made):
        made = settled[2]
        fewer = _merged(settled[0], name, differentiable)
        python = prune(settled[0], fewer, name)
        fewer = _merged(settled[1], name, differentiable)
        triton = prune(settled[1], fewer, name)
    python, triton, made = drop_unused(python, triton, made, name)
    made = remove_leftovers(made if differentiable else drop_requirements(made), inputs=True)
    python, triton = name_parameters(python, triton, name)
    return finish(DraftTexts(name_locals(python, name), name_locals(triton, name), made), name)


def finish(texts: DraftTexts, name: str) -> DraftTexts:
    """Return the texts without comments and docstrings about code that they lack."""
    python, triton = (
        _closed(wrap_lines(drop_absent(trim_docstrings(remove_leftovers(text))), name))
        for text in (texts.python_code, texts.triton_code)
    )
    return DraftTexts(python, triton, _closed(drop_absent(texts.test_code)))


@cached
def _plain(text: str) -> str:
    """Return a side in torch's own words, without what its author's work left in it."""
    text = remove_dead_branches(write_einops(text))
    text = use_devices_of_inputs(text)
    return remove_leftovers(text)


def _launching(text: str, name: str, *, differentiable: bool) -> str:
    """Return the Triton side whose function `name` calls the launcher that its modules call."""
    text = _plain(text if differentiable else remove_backward(text))
    for _ in range(ROUNDS):
        changed = write_module_calls(write_calls(text, name), name)
        changed = write_functions(changed, differentiable=differentiable)
        if changed == text:
            break
        text = changed
    return text


def _merged(text: str, name: str, differentiable: bool) -> str:
    for _ in range(ROUNDS):
        changed = merge_wrappers(text, name)
        changed = write_calls(write_module_calls(changed, name), name)
        changed = write_functions(changed, differentiable=differentiable)
        changed = write_arguments(changed)
        if changed == text:
            break
        text = changed
    return drop_copies(remove_leftovers(text), name)


def remove_backward(text: str) -> str:
    """Remove every `backward` of the module's autograd Functions."""
    edits = Edits(text)
    for owner in walk(parse(text)):
        if isinstance(owner, ast.ClassDef) and any(
            ast.unparse(base).rpartition(".")[2] == "Function" for base in owner.bases
        ):
            for method in owner.body:
                if isinstance(method, ast.FunctionDef) and method.name == "backward":
                    edits.replace(edits.line_start(method), edits.end(method) + 1, "")
    return edits.text()


def _closed(text: str) -> str:
    """Return the text without second empty lines inside of functions, but for those of texts."""
    try:
        nodes = list(walk(parse(text)))
    except UNREADABLE:
        return text
    edits = Edits(text)
    texts = [
        edits.parted(edits.start(node), edits.end(node))[:2]
        for node in nodes
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
    ]
    inside = [(len(before), len(before) + len(own)) for before, own in texts]

    def close(gap: re.Match[str]) -> str:
        within = any(first <= gap.start() < last for first, last in inside)
        return gap[0] if within else "\n\n"

    return GAP.sub(close, text)


def _pruned(old: str, new: str, name: str, suite: SuiteFile, isolator: Isolator) -> str:
    """Return the new text without the code that it needs no more, or the old one if it is not
    complete.
    """
    if new == old:
        return old
    module = isolator.isolated(suite, new, name)
    if module.reasons or not _parses(module.text):
        return old
    return module.text.strip("\n") + "\n"


def _parses(text: str) -> bool:
    try:
        parse(text)
    except UNREADABLE:
        return False
    return bool(text)
