"""Splitting of a process's output into lines that are safe to show."""

import codecs
import re

# Maximum length of a line: one without an end must not fill the memory, nor stay invisible.
LONGEST = 8192
# Attack: output may come from a scraped repository and contain terminal control sequences.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class LineSplitter:
    """Incremental line splitter; bytes that are not UTF-8 become replacement characters."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def feed(self, chunk: bytes) -> list[str]:
        """Return the lines that `chunk` completes."""
        *complete, self._open = (self._open + self._decoder.decode(chunk)).split("\n")
        while len(self._open) >= LONGEST:
            complete.append(self._open[:LONGEST])
            self._open = self._open[LONGEST:]
        return [piece for line in complete for piece in _pieces(line)]

    def rest(self) -> list[str]:
        """Return the last line without a line end, after the end of the output."""
        line = self._open + self._decoder.decode(b"", final=True)
        self._open = ""
        return list(_pieces(line)) if line else []


def _pieces(line: str) -> list[str]:
    shown = CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", line.removesuffix("\r"))
    return [shown[start : start + LONGEST] for start in range(0, max(len(shown), 1), LONGEST)]
