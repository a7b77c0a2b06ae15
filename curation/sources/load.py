"""Loading of the known sources. Loading them again keeps values that an admin changed."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import transaction

from curation.models import Repository

SHIPPED = Path(__file__).with_name("known.json")


@dataclass(frozen=True, slots=True)
class LoadCounts:
    added: int
    updated: int
    kept: int  # sources in which an admin's value differs from the shipped one


@transaction.atomic
def load_sources(path: Path = SHIPPED, names: Collection[str] | None = None) -> LoadCounts:
    """Set each field to its shipped value, unless an admin has changed the field.

    `names`: load only the sources with these names.
    """
    added = updated = overridden = 0
    known = {
        row.name: row for row in Repository.objects.order_by("pk").select_for_update(no_key=True)
    }
    for entry in json.loads(path.read_text()):
        ours = _complete(entry)
        if names is not None and ours["name"] not in names:
            continue
        row = known.get(ours["name"])
        if row is None:
            Repository.objects.create(**ours, shipped=ours)
            added += 1
            continue
        untouched = {f: v for f, v in ours.items() if _same(row, f, _shipped(row, f))}
        changed = {f: v for f, v in untouched.items() if not _same(row, f, v)}
        overridden += any(not _same(row, f, v) for f, v in ours.items() if f not in untouched)
        if changed or row.shipped != ours:
            for field, value in changed.items():
                setattr(row, field, value)
            row.shipped = ours
            row.save(update_fields=[*changed, "shipped", "updated_at"])
            updated += bool(changed)
    return LoadCounts(added, updated, overridden)


def url_of(name: str) -> str:
    """Return the URL of a repository on GitHub."""
    return f"https://github.com/{name}"


def _shipped(row: Repository, field: str) -> Any:
    """Return the value that was shipped last, or the field's default if none was shipped then."""
    if field in row.shipped:
        return row.shipped[field]
    return getattr(Repository(), field)


def _complete(entry: dict[str, Any]) -> dict[str, Any]:
    return {"url": url_of(entry["name"]), **entry}


def _same(row: Repository, field: str, value: Any) -> bool:
    current = getattr(row, field)
    if isinstance(current, Decimal) and value is not None:
        return current == Decimal(value)
    return bool(current == value)
