"""A pair computes as its author's code does where no variable of the environment is set."""

from __future__ import annotations

import textwrap


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")
