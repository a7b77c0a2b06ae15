"""Description of an exception of the entry's code."""

import traceback
from pathlib import Path

from validation.harness.worker.folder import NAMES

MOST = 2000


def described(error: BaseException) -> dict[str, str]:
    """Return the exception's type, shortened message and line, which the entry can forge."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the exception is the entry's own class
        text = ""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).stem in NAMES:
            place = f"{Path(frame.filename).name}:{frame.lineno}"
    description = {"type": type(error).__name__, "text": text[:MOST], "at": place}
    if isinstance(error, SystemExit):
        description["exit"] = str(error.code)
    return description
