"""Ignores each request to stop."""

import signal
import time
from pathlib import Path

signal.signal(signal.SIGTERM, signal.SIG_IGN)
Path("up").write_text("x")
time.sleep(60)
