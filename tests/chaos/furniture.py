"""A house to be attacked: small sources on disk, pairs to check, pairs to decide on, reviewers.

python -m tests.chaos.furniture FOLDER furnishes the database that the environment names,
carries everything out in peace, and prints its rows.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

SOURCES = 5
FILES = 6
REVIEWERS = 4
# Quick ones of the library.
CHECKED = ("add", "subtract", "multiply", "divide", "swiglu", "sum-whole")


def write_sources(folder: Path) -> list[Path]:
    """Git repositories that share every other file with the next one."""
    from tests.conftest import commit
    from tests.curation.similarity.kernels import unrelated
    from tests.ingest.licenses.cases import MIT_OF_ADA

    written = []
    for number in range(SOURCES):
        source = folder / f"source-{number}"
        source.mkdir(parents=True)
        (source / "LICENSE").write_text(MIT_OF_ADA)
        for file in range(FILES):
            own = number if file % 2 else (number + 1) // 2
            (source / f"op_{file}.py").write_text(unrelated(own * FILES + file))
        (source / "broken.py").write_text("import triton\n@triton.jit\ndef f(x_ptr, n:\n")
        commit(source)
        written.append(source)
    return written


def furnish(sources: list[Path], to_decide: int) -> dict[str, Any]:
    """Rows to begin with; answers what a load needs to know of them."""
    from django.core.management import call_command
    from django.db import transaction

    from curation.models import Origin, Pair, Repository
    from curation.web import tokens
    from tests import factories as make

    call_command("migrate", verbosity=0)
    call_command("load_library", verbosity=0)
    repositories = [
        Repository.objects.create(name=path.name, url=str(path), origin=Origin.FOLDER)
        for path in sources
    ]
    with transaction.atomic():
        for _ in range(to_decide):
            make.a_pair()
    people = [make.a_reviewer(username=f"reviewer-{n}") for n in range(REVIEWERS)]
    return {
        "sources": [repository.pk for repository in repositories],
        "pairs": list(Pair.objects.filter(slug__in=CHECKED).values_list("pk", flat=True)),
        "secrets": [tokens.make(person, "chaos") for person in people],
    }


def main() -> None:
    import django

    django.setup()
    from curation.jobs.attempt import carry_out_here
    from curation.models import Device, Pair, Repository
    from ingest.jobs import ingest_now
    from tests.chaos.rows import rows
    from validation.jobs import validate
    from validation.run_requests import request_validation

    found = furnish(sorted(Path(sys.argv[1]).glob("source-*")), to_decide=0)
    for repository in Repository.objects.filter(pk__in=found["sources"]):
        ingest_now(repository)
    pairs = Pair.objects.filter(pk__in=found["pairs"])
    for run in request_validation(pairs, device=Device.INTERPRETER, hand_over=False):
        carry_out_here(run, validate)
    json.dump(rows(), sys.stdout)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "curation.settings")
    main()
