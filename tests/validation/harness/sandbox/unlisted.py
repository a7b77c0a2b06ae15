"""Enter a Landlock domain with a folder to use by name, and print what can be done there.

`python -m tests.validation.harness.sandbox.unlisted FOLDER`.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from validation.harness.sandbox import restrictions


def main(folder: Path) -> None:
    restrictions.enter_landlock([], [], [], unlisted=[str(folder)])
    attempt("made", lambda: (folder / "known").mkdir())
    attempt("written", lambda: (folder / "known" / "file").write_text("x"))
    attempt("moved", lambda: (folder / "known" / "file").rename(folder / "moved"))
    attempt("read", lambda: (folder / "moved").read_text())
    attempt("listed", lambda: os.listdir(folder))
    attempt("outside", lambda: (folder.parent / "outside").write_text("x"))


def attempt(what: str, step: Callable[[], object]) -> None:
    try:
        step()
    except PermissionError:
        return
    sys.stdout.write(f"{what}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
