"""Read-only admin for rows written by machines.

Superusers can't edit them either: an edited release or notice would no longer be a record.
"""

from typing import Any

from django.db.models import BinaryField, Model
from django.http import HttpRequest

from curation.admin.lean import LeanAdmin, Row


class ReadOnlyAdmin(LeanAdmin[Row]):
    """Shows every column, then the `readonly_fields`. Newest first."""

    ordering = ("-pk",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        columns = [f.name for f in self.opts.fields if not isinstance(f, BinaryField)]
        return (*columns, *self.readonly_fields)
