"""Read-only admin for rows written by machines or decisions.

Superusers can't edit them either: an edited decision or finding would no longer be a record.
"""

from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.db.models import BinaryField, Model
from django.http import HttpRequest

from curation.admin.lean import LeanAdmin, Row
from curation.models.items import AboutKernelOrPair

About = TypeVar("About", bound=AboutKernelOrPair)


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
        hidden = self.exclude or ()
        columns = [
            f.name
            for f in self.opts.fields
            if not isinstance(f, BinaryField) and f.name not in hidden
        ]
        return (*columns, *self.readonly_fields)


class AboutItemAdmin(ReadOnlyAdmin[About]):
    """Read-only admin of rows about a kernel or a pair."""

    list_select_related: ClassVar[tuple[str, ...]] = ("kernel", "pair")
    search_fields: ClassVar[tuple[str, ...]] = ("kernel__name", "pair__slug")

    @admin.display(description="item")
    def about(self, row: AboutKernelOrPair) -> str:
        return str(row.item)
