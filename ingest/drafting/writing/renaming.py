"""Renaming in a draft: its entry point, parameters, variables and the helpers of its reference.

Authors name the sides of a test: `ref_x`, `out_triton`, `softmax_ref`. In a pair, each text is one
side, so these words are removed. Inputs are named like the parameters that they are passed to.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import symtable
import tokenize
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from itertools import accumulate

from curation.source.functions import signature, stored_names
from curation.source.text import UNREADABLE, parse, walk
from ingest.drafting.outcomes import DraftTexts, OperationDraft
from ingest.drafting.writing.shared_inputs import read_inputs, read_side

SIDE = "ref|reference|torch|pytorch|naive|native|golden|tri|triton|liger|gems|cus|attorch"
OF_A_SIDE = re.compile(
    rf"^_*({SIDE})_+(?=[A-Za-z])|(?<=[A-Za-z0-9])_+(({SIDE})(?=\d*$)|ref(?=_))"
    r"|(?<=[A-Za-z0-9])_+$"
)
PRIVATE = re.compile(r"^_+(?=[A-Za-z])")
UNUSABLE = {"self", "torch", "triton", "tl", "F", "nn", "math"}
# Helper names that say too little after the name of the side is removed.
VAGUE = {"loss", "forward"}
Moves = Mapping[str, str]
Within = ast.FunctionDef | None
"""The function in which names are changed, or None for the complete text."""


def name_entry(
    draft: OperationDraft, names: Iterable[str], taken: Container[str]
) -> OperationDraft:
    """Return the draft with the first of these names that its texts do not use. `taken`: the names
    of other drafts. A launcher that has this name becomes `launch_…`.
    """
    for name in names:
        texts = _under(name, draft) if name.isidentifier() and name not in taken else None
        if texts is not None:
            return replace(draft, entry_point=name, texts=texts)
    return draft


def _under(name: str, draft: OperationDraft) -> DraftTexts | None:
    python, triton, test = draft.texts.python_code, draft.texts.triton_code, draft.texts.test_code
    moves = {draft.entry_point: name}
    try:
        used = [_module_names(symtable.symtable(t, "text", "exec")) for t in (python, triton, test)]
        if name in used[0] | used[2]:
            return None
        if name in used[1]:
            launcher = _free(triton, {name: f"launch_{name}"})
            if not launcher or read_side(triton, name) is None:
                return None
            triton = _renamed(triton, launcher)
        return DraftTexts(*(_renamed(text, moves) for text in (python, triton, test)))
    except (*UNREADABLE, tokenize.TokenError):
        return None


def _module_names(table: symtable.SymbolTable) -> set[str]:
    """Return the names that a module binds at top level, or that functions read from there."""
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if table.get_type() == "module" or symbol.is_global()
    }
    return names.union(*map(_module_names, table.get_children()))


def name_alike(texts: DraftTexts, entry: str, reserved: Container[str]) -> DraftTexts:
    """Return the texts with names that do not mention a side. A parameter and its input get the
    same name. `reserved`: names that are kept free for the entry point.
    """
    try:
        texts = _with_parameters(texts, entry)
        python, triton, test = (
            _with_variables(each)
            for each in (texts.python_code, texts.triton_code, texts.test_code)
        )
        return DraftTexts(_with_helpers(python, entry, reserved), triton, test)
    except (*UNREADABLE, tokenize.TokenError):
        return texts


def _with_parameters(texts: DraftTexts, entry: str) -> DraftTexts:
    python, triton = read_side(texts.python_code, entry), read_side(texts.triton_code, entry)
    if python is None or triton is None:
        return texts
    # `rms_norm_weight` is just `weight` in `run_rms_norm`.
    layer = f"{entry.removeprefix('run_')}_"
    moves: Moves = {
        each.arg: PRIVATE.sub("", _plain(each.arg)).removeprefix(layer) for each in python.args.args
    }
    moves = _free(texts.python_code, moves, python)
    moves = _free(texts.triton_code, moves, triton)
    test = texts.test_code
    inputs = read_inputs(test, python, triton)
    if inputs is not None:
        wanted = {inner: moves.get(each, each) for each, inner in inputs.handed.items()}
        test = _renamed(test, _free(test, wanted, inputs.function), inputs.function)
    return DraftTexts(
        _renamed(texts.python_code, moves, python),
        _renamed(texts.triton_code, moves, triton),
        test,
    )


def _with_variables(text: str, only: str = "") -> str:
    for function in parse(text).body:
        if isinstance(function, ast.FunctionDef) and only in ("", function.name):
            given = {*signature(function.args).names}
            names = sorted(frozenset().union(*map(stored_names, function.body)) - given)
            plain = {each: _plain(each) for each in names}
            moves = {old: f"new_{new}" if new in given else new for old, new in plain.items()}
            # The number of lines stays, so the positions of the other functions stay valid.
            text = _renamed(text, _free(text, moves, function), function)
    return text


def _with_helpers(text: str, entry: str, reserved: Container[str]) -> str:
    wanted: dict[str, str] = {}
    for function in parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.name != entry:
            plain = _plain(function.name)
            if plain in VAGUE or plain in reserved:
                verb = "find" if plain.startswith("compute_") else "compute"
                plain = f"{verb}_{plain.removeprefix('compute_')}"
            wanted[function.name] = plain
    return _renamed(text, _free(text, wanted))


def _plain(name: str) -> str:
    return OF_A_SIDE.sub("", OF_A_SIDE.sub("", name))


def _free(text: str, wanted: Moves, within: Within = None) -> dict[str, str]:
    """Return those new names that the text (or one function of it) does not use yet. A name is not
    changed if it is also a keyword or the parameter of an inner function.
    """
    tree = within or parse(text)
    taken = {name for node in walk(tree) for name in _bound(node)}
    own = {id(each) for each in walk(within.args)} if within else set()
    fixed = {
        node.arg
        for node in walk(tree)
        if isinstance(node, ast.keyword | ast.arg) and id(node) not in own
    }
    moves: dict[str, str] = {}
    for old, new in wanted.items():
        usable = new == "input" or not (hasattr(builtins, new) or keyword.iskeyword(new))
        if (
            usable
            and new.isidentifier()
            and new not in UNUSABLE | taken
            and old in taken
            and old not in fixed
        ):
            moves[old] = new
            taken.add(new)
    return moves


def _bound(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.alias(name=name, asname=asname):
            return (asname or name,)
    return ()


def _renamed(text: str, moves: Moves, within: Within = None) -> str:
    """Return the text with new names in its code, in the braces of strings, and in the list of
    parameters in a docstring. `within`: the function to change.
    """
    if not moves:
        return text
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    word = "|".join(map(re.escape, moves))
    inner = re.compile(rf"(?<![.\w'\"!:])({word})\b")
    entry = re.compile(rf"(?<=\n)[ \t]+({word})(?=\s*[:(])")

    def new(old: re.Match[str]) -> str:
        return old[0].replace(old[1], moves[old[1]])

    for before, token in reversed(_tokens(text, within)):
        written = token.string
        if token.type == tokenize.NAME and before != ".":
            written = moves.get(written, written)
        elif re.match("[rR]?[fF]", written) and token.type == tokenize.STRING:
            written = re.sub(r"\{[^{}]+\}", lambda part: inner.sub(new, part[0]), written)
        elif token.type == tokenize.STRING:
            written = entry.sub(new, written)
        start, end = (starts[row - 1] + column for row, column in (token.start, token.end))
        text = text[:start] + written + text[end:]
    return text


def _tokens(text: str, within: Within) -> list[tuple[str, tokenize.TokenInfo]]:
    """Return the names and strings of a text, each with the token before it."""
    first, last = (within.lineno, within.end_lineno or 0) if within else (1, len(text))
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    return [
        (before, token)
        for before, token in zip(["", *(each.string for each in tokens)], tokens, strict=False)
        if token.type in (tokenize.NAME, tokenize.STRING) and first <= token.start[0] <= last
    ]
