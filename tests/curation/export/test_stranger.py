"""Somebody unpacks a release, writes three files of a record, and runs pytest: nothing of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from curation.models import Pair
from tests.curation.export.writing import every, export
from tests.factories import an_approved_pair
from validation.pairs.handwritten import handwritten

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.slow]

# Quick ones of the library.
SLUGS = ("add", "multiply")
# One process for all, each folder's modules apart; a stranger would start one for each.
RUN_ALL = """\
import sys, pytest
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    for name in ("python_code", "triton_code", "test_code"):
        sys.modules.pop(name, None)
    arguments = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", folder]
    if pytest.main([*arguments, folder + "/test_code.py"]):
        sys.exit(1)
    sys.path.remove(folder)
"""


def test_the_files_of_exported_pairs_pass_pytest_in_an_empty_folder(tmp_path: Path) -> None:
    for draft in handwritten():
        if draft.slug in SLUGS:
            texts = {name: getattr(draft, name) for name in Pair.SOURCES}
            an_approved_pair(slug=draft.slug, entry_point=draft.entry_point, **texts)
    found = every(export(tmp_path / "out"), "pairs")

    folders = []
    for record in (record for of_split in found.values() for record in of_split):
        folder = tmp_path / "unpacked" / record["id"]
        folder.mkdir(parents=True)
        for name in Pair.SOURCES:
            (folder / f"{name}.py").write_text(record[name])
        folders.append(folder)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ran = subprocess.run(
        [sys.executable, "-P", "-c", RUN_ALL, *map(str, folders)],
        cwd=tmp_path,
        env={**kept, "TRITON_INTERPRET": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    assert ran.stdout.count(" passed") == len(SLUGS)
