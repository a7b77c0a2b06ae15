"""Cuts the bytes that a process writes into lines that are safe to show."""

import codecs
import re

# A process that never ends its line must neither fill the memory nor stay unseen.
LONGEST = 8192
# What a process prints may come from a scraped repository: it must not steer the terminal.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Lines:
    """Feed it bytes, take lines; bytes that are no UTF-8 become replacement characters."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that `chunk` completes."""
        *complete, self._open = (self._open + self._decoder.decode(chunk)).split("\n")
        while len(self._open) >= LONGEST:
            complete.append(self._open[:LONGEST])
            self._open = self._open[LONGEST:]
        return [piece for line in complete for piece in _pieces(line)]

    def rest(self) -> list[str]:
        """What was left without an end, once nothing more comes."""
        line = self._open + self._decoder.decode(b"", final=True)
        self._open = ""
        return list(_pieces(line)) if line else []


def _pieces(line: str) -> list[str]:
    shown = CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", line.removesuffix("\r"))
    return [shown[start : start + LONGEST] for start in range(0, max(len(shown), 1), LONGEST)]
