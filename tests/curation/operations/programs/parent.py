"""Starts a child and ends; sleeps in its second life."""

import subprocess
import time
from pathlib import Path

if Path("child").exists():
    Path("again").write_text("x")
    time.sleep(60)
# As a queue's worker does it: the child has a group, here even a session, of its own.
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
Path("child").write_text(str(child.pid))
