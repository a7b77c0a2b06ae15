"""Ends with 3 in its first life, and sleeps in its second."""

import time
from pathlib import Path

lives = Path("lives")
lives.write_text("xx" if lives.exists() else "x")
if lives.stat().st_size == 1:
    raise SystemExit(3)
time.sleep(60)
