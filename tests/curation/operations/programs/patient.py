"""Answers a request to stop with an interrupt of its parent, and goes on."""

import os
import signal
import time
from pathlib import Path

signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getppid(), signal.SIGINT))
Path("up").write_text("x")
while True:
    time.sleep(60)
