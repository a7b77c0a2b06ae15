"""What comes at its own pace is waited for: as long as the busiest machine needs, and no longer.

What has to end by a certain time says by which.
"""

import time
from collections.abc import Callable
from typing import Any

DEADLINE = 300.0


def wait_for(what: str, condition: Callable[[], Any], seconds: float = DEADLINE) -> Any:
    """The first true answer of `condition`."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds:g} seconds"
        time.sleep(0.02)
    return answer
