"""Names of reviewers in exported texts: account names after an @, full names and mail addresses."""

import re
from collections.abc import Callable

from django.contrib.auth.models import User

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
SOMEONE = "a reviewer"


class ReviewerNames:
    """The names of all accounts, read once.

    shown: function that maps an account's primary key to the replacement of its name.
    """

    def __init__(self, shown: Callable[[int], str]) -> None:
        self._shown: dict[str, str] = {}
        columns = ("pk", "username", "first_name", "last_name")
        for pk, account, first, last in User.objects.values_list(*columns):
            self._shown[f"@{account}"] = shown(pk)
            # Full names only, because a first name alone is often a word ("Will", "May").
            if first and last:
                self._shown[f"{first} {last}"] = shown(pk)
        # Match only known accounts, because `@triton.jit` is not an account. Longer names come
        # first, so that the whole name is replaced.
        names = sorted(self._shown, key=lambda name: (-len(name), name))
        choices = "|".join(map(re.escape, names)) or "(?!)"
        self._pattern = re.compile(rf"(?<![\w@])(?:{choices})(?!\w)")

    def replaced(self, text: str) -> str:
        """Return `text` with each name and address replaced."""
        text = ADDRESS.sub(SOMEONE, text)
        return self._pattern.sub(lambda match: self._shown[match[0]], text)
