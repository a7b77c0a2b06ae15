"""What `up` prints: its own sentences, and each process's lines behind the process's name."""

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

OURS = "up"
COLOURS = (36, 33, 32, 35, 34, 31)


class Console:
    def __init__(self, stream: TextIO, names: Iterable[str]) -> None:
        self._stream = stream
        # Whoever read our lines is gone (a closed terminal, a pipe to `head`).
        self.lost = False
        coloured = stream.isatty() and not os.environ.get("NO_COLOR")
        names = [OURS, *names]
        width = max(map(len, names))
        self._prefixes = {}
        for index, name in enumerate(names):
            prefix = f"{name:<{width}} | "
            if coloured and name != OURS:
                prefix = f"\x1b[{COLOURS[(index - 1) % len(COLOURS)]}m{prefix}\x1b[0m"
            self._prefixes[name] = prefix

    def lines(self, name: str, lines: Sequence[str]) -> None:
        """Pass on what a process said."""
        prefix = self._prefixes[name]
        self._write("".join(f"{prefix}{line}\n" for line in lines))

    def say(self, sentence: str) -> None:
        """Say something ourselves."""
        self.lines(OURS, sentence.splitlines())

    def block(self, lines: Sequence[str]) -> None:
        """Say something that must not be missed between the processes' lines."""
        rule = "─" * max(map(len, lines))
        framed = ("", rule, "", *lines, "", rule, "")
        self._write("".join(f"  {line}".rstrip() + "\n" for line in framed))

    def _write(self, text: str) -> None:
        if self.lost or not text:
            return
        try:
            # A terminal that knows no UTF-8 gets escapes in place of an error.
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self._stream.flush()
        except OSError:
            self.lost = True
