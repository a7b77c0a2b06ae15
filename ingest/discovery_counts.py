"""Estimate of what drafting would find in a repository, from the text of its Python files.

The text is searched and never parsed, because discovery runs outside of the sandbox, where a
hostile file could crash a parser. Drafting analyzes the syntax, so it finds fewer.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

# The time of each regular expression is linear in the length of the text.
DECORATOR_OR_FUNCTION = re.compile(
    r"^[ \t]*(?:@(?:triton\.)?(jit)\b|(?:async[ ])?def[ ](\w+))", re.MULTILINE
)
BLOCK = re.compile(r"^(?:(?:async )?def|class) (\w+)|^(\w+) *=[^=]", re.MULTILINE)
TEST = re.compile(r"^[ \t]*def test", re.MULTILINE)
COMPARISON = re.compile(r"allclose|assert_close|assertClose|assert_\w*equal|\bequal\(|\.abs\(\)")
WORD = re.compile(r"[^\W\d]\w*")
SUBSCRIPT = re.compile(r"\b([^\W\d]\w*)\[")


@dataclass(frozen=True, slots=True)
class DraftingCounts:
    """Numbers that predict how many drafts a repository yields."""

    kernel_count: int
    launcher_count: int
    """Number of functions and classes that launch a kernel."""
    comparing_tests: int
    """Number of tests that compare values, in files that name a launcher or a caller of one."""
    compared_launchers: int
    """Number of launchers that those files reach. Drafting can yield at most one draft for each."""


def count_texts(texts: Iterable[str]) -> DraftingCounts:
    """Count kernels, launchers and comparing tests in the Python files of a repository."""
    modules: list[str] = []
    tests: list[str] = []
    for text in texts:
        has_tests = TEST.search(text) is not None
        if has_tests and COMPARISON.search(text):
            tests.append(text)
        # A test file may also define kernels.
        if not has_tests or "triton" in text:
            modules.append(text)
    kernels = [name for text in modules if "triton" in text for name in _kernels(text)]
    if not kernels:
        return DraftingCounts(0, 0, 0, 0)
    launchers = _launchers(modules, frozenset(kernels))
    reachable = frozenset(itertools.chain.from_iterable(launchers))
    named: set[str] = set()
    count = 0
    for text in tests:
        there = reachable.intersection(WORD.findall(text))
        if there:
            named |= there
            count += _comparing_tests(text)
    return DraftingCounts(
        kernel_count=len(kernels),
        launcher_count=len(launchers),
        comparing_tests=count,
        compared_launchers=sum(not named.isdisjoint(callers) for callers in launchers),
    )


def _kernels(text: str) -> Iterator[str]:
    """Yield the names of the functions that are decorated with `jit`."""
    is_decorated = False
    for match in DECORATOR_OR_FUNCTION.finditer(text):
        if match[1]:
            is_decorated = True
        elif is_decorated:
            yield match[2]
            is_decorated = False


def _launchers(modules: list[str], kernels: frozenset[str]) -> list[set[str]]:
    """Return for each launcher the names by which a test may call it: its name and its callers'."""
    blocks = [block for text in modules for block in _blocks(text)]
    names = {name for name, _ in blocks}
    users: defaultdict[str, set[str]] = defaultdict(set)
    launching: list[str] = []
    for name, body in blocks:
        for word in names.intersection(WORD.findall(body)):
            users[word].add(name)
        if name not in kernels and not kernels.isdisjoint(SUBSCRIPT.findall(body)):
            launching.append(name)
    return [_callers(name, users) for name in launching]


def _callers(name: str, users: Mapping[str, set[str]]) -> set[str]:
    """Return a name and the names of all blocks that use it directly or through other blocks."""
    reached, pending = {name}, [name]
    while pending:
        for user in users.get(pending.pop(), ()):
            if user not in reached:
                reached.add(user)
                pending.append(user)
    return reached


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each function, class and assignment of a module, and the text after it."""
    starts = list(BLOCK.finditer(text))
    for start, following in itertools.zip_longest(starts, starts[1:]):
        end = following.start() if following else len(text)
        yield start[1] or start[2], text[start.end() : end]


def _comparing_tests(text: str) -> int:
    starts = [match.start() for match in TEST.finditer(text)]
    parts = (text[start:end] for start, end in itertools.zip_longest(starts, starts[1:]))
    return sum(COMPARISON.search(part) is not None for part in parts)
