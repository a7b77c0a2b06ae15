"""What an installation knows, told without keys and times, so that two can be compared.

python -m tests.chaos.rows prints it for the database that the environment names.
"""

import json
import os
import sys
from collections import defaultdict
from typing import Any


def rows() -> dict[str, list[Any]]:
    from curation.models import (
        DuplicateLink,
        Kernel,
        Provenance,
        QualityFinding,
        Repository,
        SourceFile,
        ValidationResult,
    )

    seen = Kernel.objects.exclude(provenances=None)
    found: dict[str, Any] = {
        "kernels": seen.values_list(
            "content_hash", "name", "license_verdict", "license__expression", "operation_type",
            "difficulty", "tokens", "status",
        ).distinct(),
        "provenances": Provenance.objects.values_list(
            "source_file__repository__name", "source_file__path", "qualname", "start_line",
            "end_line", "sha256", "kernel__content_hash", "license_verdict", "retired_at",
        ),
        "files": SourceFile.objects.values_list("repository__name", "path", "sha256"),
        "findings": QualityFinding.objects.filter(kernel__in=seen).values_list(
            "kernel__content_hash", "gate", "passed", "action"
        ),
        "clusters": _clusters(
            DuplicateLink.objects.exclude(kernel=None).values_list(
                "kernel__content_hash", "of_kernel__content_hash"
            )
        ),
        "readings": Repository.objects.values_list("name", "last_commit", "last_reading"),
        "verdicts": set(
            ValidationResult.objects.values_list("pair__content_hash", "verdict", "message")
        ),
    }  # fmt: skip
    for name in ("funnels", "drops"):
        found[name] = [_of_last_run(repository, name) for repository in Repository.objects.all()]
    return {
        name: sorted(json.dumps(row, default=str) for row in told) for name, told in found.items()
    }


def _of_last_run(repository: Any, what: str) -> Any:
    run = repository.runs.filter(state="succeeded").first()
    if run is None:
        return [repository.name, None]
    if what == "funnels":
        # What is new depends on how often the source was read before.
        return [repository.name, sorted((k, n) for k, n in run.funnel.items() if k != "new")]
    return [repository.name, sorted(run.drops.values_list("path", "stage", "reason", "line"))]


def _clusters(links: Any) -> list[list[str]]:
    """Who stands for whom depends on who came first; who resembles whom does not."""
    of: dict[str, set[str]] = defaultdict(set)
    for one, other in links:
        joined = {one, other} | of[one] | of[other]
        for member in joined:
            of[member] = joined
    return [list(each) for each in {tuple(sorted(cluster)) for cluster in of.values()}]


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "curation.settings")
    import django

    django.setup()
    json.dump(rows(), sys.stdout)
