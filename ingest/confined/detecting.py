"""Program of the sandboxed license detector.

`python -c … FD SECONDS` reads JSON requests from its standard input and writes the JSON answers to
the file descriptor FD, each on one line.
"""

import sys
import tempfile
from pathlib import Path

from ingest.confined.line import Line
from ingest.licenses.detector import DetectionTookTooLong, Scancode


def serve(line: Line, detector: Scancode) -> None:
    """Answer requests until the input ends."""
    detector.load()
    line.tell(ready=True)
    while (order := line.hear()) is not None:
        try:
            matches = detector.match(order["text"], approximate=order["approximate"])
        except DetectionTookTooLong:
            line.tell(late=True)
        else:
            line.tell(matches=matches)


if __name__ == "__main__":
    folder = Path(tempfile.gettempdir()) / "scancode"
    serve(Line(sys.stdin.buffer, int(sys.argv[1])), Scancode(folder, float(sys.argv[2])))
