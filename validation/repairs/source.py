"""The Triton text of a pair with its syntax tree, and edits that preserve its formatting."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replacement of the characters from `start` up to, but not including, `end`."""

    start: int
    end: int
    text: str = ""


Edits = tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """The edits of one mistake, and named texts for its explanation."""

    edits: Edits
    facts: Mapping[str, str]


def mistake(*edits: Replacement, **facts: str) -> Mistake:
    return Mistake(edits, facts)


OPERATOR = re.compile(r"\s*[^\w\s(\[]+\s*")
# SIMPLE: an operand that needs no parentheses. GROUP: a parenthesis that does not start a call.
SIMPLE = re.compile(r"[\w.]+(\[[^()]*\])?")
GROUP = re.compile(r"(?<![\w\])])\($")
# A mistake that a person would not make: assigning a name to itself.
NO_OPERATION = re.compile(r"(\w+) = \1")
# Maximum number of characters of a quoted statement.
SHOWN = 240
# Texts that are removed when lines are joined: comments, spaces and commas just inside brackets.
COMMENT = re.compile(r"(^|\s)\s*# .*$")
OPENED = re.compile(r"(?<=[(\[]) |,? (?=[)\]])")


@dataclass(frozen=True, slots=True)
class FaultyText:
    """A text with a mistake. `line`: number of the first line in which it differs from `right`."""

    code: str
    right: str
    line: int
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def lacks_statement(self) -> bool:
        """Return whether the mistake is a missing statement."""
        return _statement_count(self.code) < _statement_count(self.right)

    @property
    def place(self) -> str:
        """Return the first faulty line, and the innermost function that contains it."""
        around = [
            node
            for node in ast.walk(ast.parse(self.right))
            if isinstance(node, ast.FunctionDef)
            and node.lineno <= self.line <= (node.end_lineno or node.lineno)
        ]
        function = max(around, key=lambda node: node.lineno).name if around else ""
        return f"`{function}`, line {self.line}" if function else f"line {self.line}"

    @property
    def shown(self) -> str:
        """Return the faulty statement, joined into one line."""
        return _statement(self.code, self.line, *_changed_lines(self.code, self.right))

    @property
    def shown_right(self) -> str:
        """Return the right statement, joined into one line."""
        return _statement(self.right, self.line, *_changed_lines(self.right, self.code))


def _changed_lines(text: str, other: str) -> tuple[int, int]:
    """Return the first and last line of `text` that differ from `other`."""
    matcher = SequenceMatcher(None, text.split("\n"), other.split("\n"), autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return changes[0][1] + 1, changes[-1][2]


def _statement(text: str, line: int, first: int, last: int) -> str:
    """Return the statement at a line, or only its changed lines if it is too long.

    first, last: the changed lines; `last` is less than `first` if there are none.
    """
    lines = text.split("\n")
    around = _statements(text, line)
    whole = lines[around[0].lineno - 1 : _last_line(around[0])] if around else []
    shown = _joined(whole)
    if not whole or (len(shown) > SHOWN and first <= last):
        shown = _joined(lines[first - 1 : max(first, last)])
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"


def _statement_count(text: str) -> int:
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))


def _statements(text: str, line: int) -> list[ast.stmt]:
    """Return the simple statements and the `for` headers that include a line."""
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt)
        and (not hasattr(node, "body") or isinstance(node, ast.For))
        and node.lineno <= line <= _last_line(node)
    ]


def _last_line(node: ast.stmt) -> int:
    """Return the last line of a simple statement, or of a `for` header."""
    return node.body[0].lineno - 1 if isinstance(node, ast.For) else node.end_lineno or node.lineno


def _joined(lines: Sequence[str]) -> str:
    code = [COMMENT.sub("", line).strip() for line in lines]
    text = OPENED.sub("", " ".join(line for line in code if line))
    # A launch whose arguments follow on the next lines: drop the open parenthesis.
    return text[:-1] if text.endswith("](") else text


class ParsedText:
    """A text with its syntax tree. Offsets count characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        # `ast` splits lines only at "\n", "\r\n" and "\r"; `splitlines` splits at more characters.
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    @cached_property
    def kernels(self) -> list[ast.FunctionDef]:
        """Return the functions with a Triton decorator, including helpers."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef)
            and any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
        ]

    @cached_property
    def launchers(self) -> list[ast.FunctionDef]:
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef) and node not in self.kernels
        ]

    def calls(self, scopes: Sequence[ast.AST], *names: str) -> Iterator[ast.Call]:
        """Yield the calls of `module.name` for any of the names, in source order."""
        for scope in scopes:
            for node in in_order(scope, ast.Call):
                function = node.func
                is_of_module = isinstance(function, ast.Attribute) and isinstance(
                    function.value, ast.Name
                )
                if is_of_module and called(node) in names:
                    yield node

    def operations(self, kind: type[ast.operator]) -> Iterator[ast.BinOp]:
        """Return the binary operations of a type in the kernels."""
        nodes = (node for kernel in self.kernels for node in in_order(kernel, ast.BinOp))
        return (node for node in nodes if isinstance(node.op, kind))

    def loops(self) -> Iterator[tuple[ast.For, ast.Call]]:
        """Yield the `for` loops of the kernels over a range, each with its `range` call."""
        for kernel in self.kernels:
            for node in in_order(kernel, ast.For):
                if isinstance(node.iter, ast.Call):
                    yield node, node.iter

    def constants(self, kernel: ast.FunctionDef) -> list[ast.arg]:
        """Return the parameters of a kernel that are constants of its compiled code."""
        return [
            argument
            for argument in (*kernel.args.args, *kernel.args.kwonlyargs)
            if argument.annotation and "constexpr" in self.spelled(argument.annotation)
        ]

    def start(self, node: ast.AST) -> int:
        return self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def spelled(self, node: ast.AST) -> str:
        return self.text[self.start(node) : self.end(node)]

    def flat(self, node: ast.AST) -> str:
        """Return the source of an expression, joined into one line."""
        return _joined(self.spelled(node).split("\n"))

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a position. `column` counts bytes of UTF-8, as in `ast`."""
        before = self._lines[line - 1].encode()[:column]
        return self._starts[line - 1] + len(before.decode())

    # --- Edits -------------------------------------------------------------------------------
    def replace(self, node: ast.AST, text: str) -> Replacement:
        return Replacement(self.start(node), self.end(node), text)

    def replace_by_operation(self, node: ast.expr, text: str) -> Replacement:
        """Replace an expression by an operation, in parentheses if precedence may require them."""
        if SIMPLE.fullmatch(text):
            return self.replace(node, text)
        before = self.text[: self.start(node)].rstrip()[-1:]
        after = self.text[self.end(node) :].lstrip(" ")[:1]
        is_alone = before in ("(", ",", "=", "[") and after in (")", ",", "]", "\n")
        return self.replace(node, text if is_alone else f"({text})")

    def swap(self, first: ast.expr, second: ast.expr) -> Edits:
        """Swap two expressions. Neither may be an operand, since it could need parentheses."""
        return (
            self.replace(first, self.spelled(second)),
            self.replace(second, self.spelled(first)),
        )

    def swap_operands(self, operation: ast.BinOp) -> Edits:
        left_end, right_start = self._around_operator(operation)
        start, end = self.start(operation), self.end(operation)
        left, right = self.text[start:left_end], self.text[right_start:end]
        return (
            Replacement(start, left_end, _enclosed(right, operation.right, operation)),
            Replacement(right_start, end, _enclosed(left, operation.left, operation)),
        )

    def as_operand(self, node: ast.expr) -> str:
        """Return the source of an expression, in parentheses if it is an operation."""
        text = self.spelled(node)
        return f"({text})" if isinstance(node, ast.BinOp | ast.IfExp | ast.UnaryOp) else text

    def drop_argument(self, argument: ast.AST) -> Replacement:
        """Remove an argument and the comma before it."""
        return Replacement(self.text.rindex(",", 0, self.start(argument)), self.end(argument))

    def drop_statement(self, node: ast.stmt) -> Replacement:
        """Remove a statement with its lines, which must contain nothing else."""
        start = self.text.rindex("\n", 0, self.start(node)) + 1
        return Replacement(start, self.text.index("\n", self.end(node)) + 1)

    def drop_right(self, operation: ast.BinOp) -> Replacement:
        """Replace an operation by its left operand."""
        return self._keep(operation, self.start(operation), self._around_operator(operation)[0])

    def drop_left(self, operation: ast.BinOp) -> Replacement:
        """Replace an operation by its right operand."""
        return self._keep(operation, self._around_operator(operation)[1], self.end(operation))

    def _keep(self, operation: ast.BinOp, first: int, last: int) -> Replacement:
        """Replace an operation by a part of it, and drop parentheses that are no longer needed."""
        start, end = self.start(operation), self.end(operation)
        part = self.text[first:last]
        if (
            SIMPLE.fullmatch(part)
            and GROUP.search(self.text, 0, start)
            and self.text[end : end + 1] == ")"
        ):
            return Replacement(start - 1, end + 1, part)
        if self.text[:start].endswith("= (") and self.text[end:].startswith(")\n"):
            return Replacement(start - 1, end + 1, part)
        return Replacement(start, end, part)

    def drop_conversion(self, call: ast.Call) -> Replacement:
        """Remove `.to(…)` from a converted value."""
        name = self.end(call.func) - len("to")
        return Replacement(self.text.rindex(".", 0, name), self.end(call))

    def _around_operator(self, operation: ast.BinOp) -> tuple[int, int]:
        """Return the left operand's end and the right operand's start, outside of parentheses."""
        end = self.end(operation.left)
        while self.text[end:].lstrip().startswith(")"):
            end = self.text.index(")", end) + 1
        operator = OPERATOR.match(self.text, end)
        return end, operator.end() if operator else end

    def fault(self, mistake: Mistake) -> FaultyText | None:
        """Return the text with the mistake, or None if its code is unchanged or can't be parsed."""
        text, edits = self.text, mistake.edits
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        try:
            same = ast.dump(ast.parse(text)) == ast.dump(self.tree)
        except SyntaxError:
            return None
        changed = min(edit.start + self._unchanged(edit) for edit in edits)
        fault = FaultyText(text, self.text, text.count("\n", 0, changed) + 1, mistake.facts)
        return None if same or NO_OPERATION.fullmatch(fault.shown) else fault

    def _unchanged(self, edit: Replacement) -> int:
        """Return the number of leading characters that an edit does not change."""
        before = self.text[edit.start : edit.end]
        pairs = enumerate(zip(edit.text, before, strict=False))
        return next(
            (at for at, (new, old) in pairs if new != old), min(len(edit.text), len(before))
        )


def _enclosed(text: str, operand: ast.expr, operation: ast.BinOp) -> str:
    """Put an operand into parentheses if it needs them on the other side of the operator."""
    loose = (ast.Add, ast.Sub) if isinstance(operation.op, ast.Sub) else (ast.operator,)
    if text.startswith("(") or not isinstance(operand, ast.BinOp):
        return text
    return f"({text})" if isinstance(operand.op, loose) else text


def in_order(scope: ast.AST, kind: type[Node]) -> list[Node]:
    """Return the nodes of a type in a tree, in source order."""
    placed = [
        node for node in ast.walk(scope) if isinstance(node, kind) and hasattr(node, "lineno")
    ]
    return sorted(placed, key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]


def called(node: ast.AST) -> str:
    """Return the last name of a called function, or an empty text for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def names(node: ast.AST) -> set[str]:
    return {leaf.id for leaf in ast.walk(node) if isinstance(leaf, ast.Name)}


def assigned(kernel: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the assigned names with their values. Each name of a tuple gets the complete value."""
    for node in in_order(kernel, ast.Assign):
        for target in node.targets:
            for name in sorted(names(target)):
                yield name, node.value
