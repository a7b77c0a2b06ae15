"""Bounds of git's processes."""

import resource

from ingest.git.limits import Bounds

# The options of `prlimit`, by the limit that each sets.
OPTIONS = {
    resource.RLIMIT_AS: "as",
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_CORE: "core",
}


def test_the_options_of_prlimit_set_the_same_limits() -> None:
    bounds = Bounds(memory=400_000_000, cpu_seconds=70, file_bytes=1_000_000)

    options = dict(option.removeprefix("--").split("=") for option in bounds.options())

    assert options == {OPTIONS[key]: str(value) for key, value in bounds.limits().items()}
