"""Load by other programs: a kernel's own load is not among it."""

import subprocess
import sys

from validation.rewards.load import Load, own_seconds

BURN = "import time\nwhile time.process_time() < 0.3:\n    pass\n"


def test_the_time_of_ended_children_counts_as_own() -> None:
    before = own_seconds()

    subprocess.run([sys.executable, "-c", BURN], check=True)

    assert own_seconds() - before >= 0.25


def test_the_load_of_others_is_a_share() -> None:
    load = Load()
    sum(range(10**6))

    assert 0.0 <= load.of_others() <= 1.0
