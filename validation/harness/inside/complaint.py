"""Description of an exception of the entry's code."""

import traceback
from pathlib import Path

MOST = 2000


def described(error: BaseException) -> dict[str, str]:
    """Describe the exception and its place in the entry's files. The text is the entry's, so
    cut."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the exception is the entry's own class
        text = ""
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).stem in ("python_code", "triton_code", "test_code"):
            place = f"{Path(frame.filename).name}:{frame.lineno}"
    said = {"type": type(error).__name__, "text": text[:MOST], "at": place}
    if isinstance(error, SystemExit):
        said["exit"] = str(error.code)
    return said
