"""License policy: the verdict of the policy file on a license expression."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from license_expression import AND, OR, LicenseWithExceptionSymbol

from ingest.licenses.expressions import categories, keys, parse
from ingest.licenses.records import STRICTNESS, Verdict, stricter
from ingest.licenses.standard_texts import standard_text

POLICY_FILE = Path(__file__).with_name("policy.json")
_FILE_ON_GITHUB = re.compile(
    r"(?:https?://)?(?:www\.)?github\.com/([\w.-]+/[\w.-]+)/(?:blob|tree|raw)/[^/\s]+/.",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class KnownRepository:
    """A repository whose license and copyright holders were looked up by a person."""

    name: str
    license: str
    holders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """License ids with a reason for each. Blocked ids are patterns. Unlisted ids are unknown."""

    version: str
    permissive: Mapping[str, str]
    exceptions: Mapping[str, str]
    blocked: Mapping[str, str]
    blocked_categories: Mapping[str, str]
    repositories: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def repository_of(self, url: str) -> KnownRepository | None:
        """Return the known repository that contains the file or folder of the URL, or None."""
        match = _FILE_ON_GITHUB.match(url)
        for name, facts in self.repositories.items():
            if match and match[1].lower() == name.lower():
                return KnownRepository(name, facts["license"], tuple(facts["holders"]))
        return None

    def verdict(self, expression: str | None) -> Verdict:
        """Return the verdict: for `A OR B` the less strict one, for `A AND B` the stricter one."""
        parsed = parse(expression) if expression else None
        return Verdict.UNKNOWN if parsed is None else self._verdict(parsed)

    def reasons(self, expression: str | None) -> str:
        """Return the policy's reasons why the blocked licenses of an expression are blocked."""
        blocked = (k for k in sorted(keys(expression or "")) if self.verdict(k) is Verdict.BLOCKED)
        return " ".join(dict.fromkeys(map(self._why, blocked)))

    def _why(self, key: str) -> str:
        for pattern, reason in self.blocked.items():
            if fnmatchcase(key, pattern):
                return reason
        return self.blocked_categories.get(categories().get(key, ""), "")

    def _verdict(self, tree: Any) -> Verdict:
        if isinstance(tree, OR):
            return min(map(self._verdict, tree.args), key=STRICTNESS.index)
        if isinstance(tree, AND):
            return stricter(map(self._verdict, tree.args))
        if isinstance(tree, LicenseWithExceptionSymbol):
            of_license = self._of_key(tree.license_symbol.key)
            listed = tree.exception_symbol.key in self.exceptions
            # An unlisted exception may restrict rights: the Commons Clause is an exception.
            return of_license if listed else stricter((of_license, Verdict.UNKNOWN))
        return self._of_key(tree.key)

    def _of_key(self, key: str) -> Verdict:
        if key in self.permissive:
            return Verdict.PERMISSIVE
        named = any(fnmatchcase(key, pattern) for pattern in self.blocked)
        if named or categories().get(key) in self.blocked_categories:
            return Verdict.BLOCKED
        return Verdict.UNKNOWN


@cache
def load_policy() -> Policy:
    return Policy(**json.loads(POLICY_FILE.read_text("utf-8")))


def judged(expression: str) -> tuple[Verdict, str]:
    """Return the policy's verdict on an expression, and the expression's standard text."""
    return load_policy().verdict(expression), standard_text(expression)
