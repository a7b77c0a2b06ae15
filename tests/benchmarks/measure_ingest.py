"""Whole ingests from local mirrors: seconds, memory, and what a second reading costs.

Usage: python tests/benchmarks/measure_ingest.py SOURCE…

Each SOURCE is a local repository or folder. All are read twice, each time in one process, into a
database of their own; the second time nothing has changed.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MANAGE = Path(__file__).resolve().parents[2] / "manage.py"


def main(sources: list[str]) -> None:
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "CURATION_DATA": data}
        subprocess.run([sys.executable, MANAGE, "load_sources"], env=environment, check=True)
        for reading in ("first reading", "nothing changed"):
            began = time.monotonic()
            subprocess.run(
                [sys.executable, MANAGE, "ingest", *sources, "--now"], env=environment, check=True
            )
            seconds = time.monotonic() - began
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"{reading}: {seconds:.1f} s, peak {used.ru_maxrss / 1024:.0f} MB\n")


if __name__ == "__main__":
    main(sys.argv[1:])
