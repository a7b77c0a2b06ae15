"""Stand-in for packaging: comparison of versions."""

import re


def parse(version):
    """The numbers of a version, which compare as versions do."""
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0])[:3])


def Version(version):
    """The same, by the name of packaging's class."""
    return parse(version)
