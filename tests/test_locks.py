"""The lock holds what constraints.txt names, each package with a hash."""

import re

from django.conf import settings


def versions(name: str) -> dict[str, str]:
    text = (settings.BASE_DIR / name).read_text()
    found = re.findall(r"^([\w.-]+)==([^\s;+]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in found}


def test_ci_installs_the_versions_of_the_lock_file() -> None:
    locked, named = versions("requirements.lock"), versions("constraints.txt")

    assert len(named) > 100
    unlocked = dict(named.items() - locked.items())
    assert unlocked.keys() <= {"torch", "triton", "liger-kernel"}


def test_every_package_has_a_hash_and_no_index_is_named() -> None:
    text = (settings.BASE_DIR / "requirements.lock").read_text()

    packages = re.findall(r"^[\w.-]+==.* \\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert len(packages) == len(versions("requirements.lock")) > 0
    assert "://" not in text
