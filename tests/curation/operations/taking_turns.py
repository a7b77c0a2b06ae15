"""A site for tests of gunicorn's worker: it says which process answers, at once or later."""

import os
import time
from collections.abc import Callable, Iterable
from typing import Any


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    time.sleep(float(environ["PATH_INFO"].strip("/") or 0))
    start("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
