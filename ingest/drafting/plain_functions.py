"""Reading of a file's tests as plain functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from curation.source.functions import dotted_name
from curation.source.text import UNREADABLE
from ingest.drafting.in_place import mark_calls
from ingest.drafting.inlining import inline_helpers
from ingest.drafting.loops import unroll_loops
from ingest.drafting.plain_tests import find_tests
from ingest.drafting.reach import Reach
from ingest.drafting.scripts import script_test
from ingest.drafting.suites import SuiteFile, find_effect_calls
from ingest.extract.targets import Local


def read_tests(suite: SuiteFile, reach: Reach) -> Iterator[ast.FunctionDef]:
    """Yield each test of a file as a plain function, with its helpers and loops written into it."""

    def launches(node: ast.AST) -> bool:
        names = filter(None, map(dotted_name, ast.walk(node)))
        targets = (suite.meaning(parts) for parts in names)
        return any(isinstance(each, Local) and reach.launches(each) for each in targets)

    mark_calls(suite, suite.tree, reach.suites)
    helpers = find_effect_calls(suite)
    script = script_test(suite.tree)
    for written in (*find_tests(suite), *([script] if script else [])):
        if not written.name.startswith("test") and written.name in helpers:
            # It is inlined into the tests that call it.
            continue
        try:
            function = inline_helpers(written, suite.lookup)
            tests = unroll_loops(function, launches, suite.evaluator())
            tests = [inline_helpers(each, suite.lookup) for each in tests]
        except UNREADABLE:
            tests = [written]
        yield from tests
