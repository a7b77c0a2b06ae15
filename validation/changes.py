"""Changed verdicts: an item's newest verdict, and one with another torch or Triton."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from curation.models import Device, ValidationResult
from validation.checkers import checker_for

TOOLS = ("torch", "triton", "gpu", "driver")


@dataclass(frozen=True, slots=True)
class SeenVerdict:
    verdict: str
    message: str
    tools: str


@dataclass(frozen=True, slots=True)
class Change:
    item: int
    now: SeenVerdict
    before: SeenVerdict

    def __str__(self) -> str:
        return (
            f"{self.item}: {self.before.verdict} with {self.before.tools}, "
            f"{self.now.verdict} with {self.now.tools}: {self.now.message}"
        )


def changes(device: Device) -> Iterator[Change]:
    """Yield items whose verdict changed with the versions of the tools.

    Both checks are of the current content, on `device`, with different versions.
    """
    newest: SeenVerdict | None = None
    item = 0
    for pk, *columns in _results(device):
        result = _seen(*columns)
        if pk != item:
            item, newest = pk, result
        elif newest is not None and result.tools != newest.tools:
            if result.verdict != newest.verdict:
                yield Change(item, newest, result)
            # Compare only with the newest result of other versions.
            newest = None


def _results(device: Device) -> Iterator[tuple[Any, ...]]:
    kind = str(checker_for(device).model._meta.model_name)
    rows = ValidationResult.objects.filter(
        run__device=device, content_hash=F(f"{kind}__content_hash")
    )
    columns = (f"{kind}_id", "verdict", "message", "run__environment")
    return rows.order_by(f"{kind}_id", "-pk").values_list(*columns).iterator()


def _seen(verdict: str, message: str, environment: Mapping[str, Any]) -> SeenVerdict:
    tools = (f"{name} {environment[name]}" for name in TOOLS if environment.get(name))
    return SeenVerdict(verdict, message, ", ".join(tools))
