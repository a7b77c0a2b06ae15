"""What may be given away: the verdict of the policy file on a licence expression."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from license_expression import AND, OR, LicenseWithExceptionSymbol

from ingest.licenses.expressions import categories, keys, parse
from ingest.licenses.records import STRICTNESS, Verdict, stricter

POLICY_FILE = Path(__file__).with_name("policy.json")


@dataclass(frozen=True, slots=True)
class Policy:
    """Licence ids (blocked ones as patterns) with the reason for each; the rest is unknown."""

    version: str
    permissive: Mapping[str, str]
    exceptions: Mapping[str, str]
    blocked: Mapping[str, str]
    blocked_categories: Mapping[str, str]

    def verdict(self, expression: str | None) -> Verdict:
        """Of `A OR B` one may choose the freer; of `A AND B` the stricter counts."""
        parsed = parse(expression) if expression else None
        return Verdict.UNKNOWN if parsed is None else self._verdict(parsed)

    def reasons(self, expression: str | None) -> str:
        """Why the blocked licences of an expression are blocked, in the policy's words."""
        blocked = (k for k in sorted(keys(expression or "")) if self.verdict(k) is Verdict.BLOCKED)
        return " ".join(dict.fromkeys(map(self._why, blocked)))

    def _why(self, key: str) -> str:
        for pattern, reason in self.blocked.items():
            if fnmatchcase(key, pattern):
                return reason
        return self.blocked_categories.get(categories().get(key, ""), "")

    def _verdict(self, parsed: Any) -> Verdict:
        if isinstance(parsed, OR):
            return min(map(self._verdict, parsed.args), key=STRICTNESS.index)
        if isinstance(parsed, AND):
            return stricter(map(self._verdict, parsed.args))
        if isinstance(parsed, LicenseWithExceptionSymbol):
            of_license = self._of_key(parsed.license_symbol.key)
            known = parsed.exception_symbol.key in self.exceptions
            # An unlisted exception may take rights away: the Commons Clause is written as one.
            return of_license if known else stricter((of_license, Verdict.UNKNOWN))
        return self._of_key(parsed.key)

    def _of_key(self, key: str) -> Verdict:
        if key in self.permissive:
            return Verdict.PERMISSIVE
        named = any(fnmatchcase(key, pattern) for pattern in self.blocked)
        if named or categories().get(key) in self.blocked_categories:
            return Verdict.BLOCKED
        return Verdict.UNKNOWN


@lru_cache(maxsize=4)
def load_policy(path: Path = POLICY_FILE) -> Policy:
    """The policy at `path`; raises ValueError in a sentence when it is none."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return Policy(**data)
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no licence policy: {error}.") from error
