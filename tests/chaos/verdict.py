"""What became of all that was acknowledged while processes were killed: sentences where wrong."""

from collections import Counter
from typing import Any

from curation.models import Decision, Pair, Run, RunState, ValidationResult, ValidationRun
from tests.chaos.load import Reviewer


def about_runs(asked: Counter[tuple[type[Run], int]]) -> list[str]:
    wrong = []
    kinds = {model for model, _ in asked}
    for model in kinds:
        wanted = {pk for kind, pk in asked if kind is model}
        found = {run.pk: run for run in model._default_manager.filter(pk__in=wanted)}
        wrong += [
            f"{model.__name__} {pk} was acknowledged and is gone." for pk in wanted - set(found)
        ]
        wrong += [
            f"{run} is {run.state}, after {run.attempts} attempts: {run.message}"
            for run in found.values()
            if run.state != RunState.SUCCEEDED
        ]
        attempts = Counter(run.attempts for run in found.values())
        print(f"{model.__name__}: {len(wanted)} asked for; by attempts {sorted(attempts.items())}")
    for run in ValidationRun.objects.all():
        found_of = Counter(run.results.values_list("pair__pk", flat=True))
        if found_of != Counter(pk for _, pk, _ in run.batch):
            wrong.append(f"{run} was to check {run.batch} and has results of {dict(found_of)}.")
    print("results:", ValidationResult.objects.count())
    return wrong


def about_decisions(reviewers: list[Reviewer]) -> list[str]:
    wrong = []
    rows = {row.request: row for row in Decision.objects.exclude(user=None)}
    sent: dict[Any, tuple[int, str]] = {}
    for reviewer in reviewers:
        sent |= reviewer.sent
        wrong += [
            f"Decision {wish} was acknowledged and is lost."
            for wish in reviewer.acknowledged - rows.keys()
        ]
        wrong += [
            f"Decision {wish} was refused and was taken all the same: {rows[wish]}."
            for wish in reviewer.refused & rows.keys()
        ]
    for wish, row in rows.items():
        if sent.get(wish) != (row.pair_id, row.status):
            wrong.append(f"{row} is not what anybody said.")
    of: dict[int, list[Decision]] = {}
    for row in sorted(rows.values(), key=lambda row: row.pk):
        of.setdefault(row.pair_id or 0, []).append(row)
    for pair in Pair.objects.filter(pk__in=of):
        if (pair.version, pair.status) != (1 + len(of[pair.pk]), of[pair.pk][-1].status):
            wrong.append(f"{pair} is {pair.status} at version {pair.version}: {of[pair.pk]}.")
        if len(of[pair.pk]) != 1:
            wrong.append(f"{pair} was pending, and was decided {len(of[pair.pk])} times.")
    acknowledged = sum(len(reviewer.acknowledged) for reviewer in reviewers)
    refused = sum(len(reviewer.refused) for reviewer in reviewers)
    print(
        f"decisions: {len(sent)} sent, {acknowledged} acknowledged, {refused} refused, "
        f"{len(rows)} rows"
    )
    print("answers:", dict(sum((reviewer.answers for reviewer in reviewers), Counter())))
    return wrong
