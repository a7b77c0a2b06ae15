"""Append-only rows. A row is undone by appending another."""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models


class WrittenOnce(Exception):
    """An attempt to change or delete an append-only row."""


Row = TypeVar("Row", bound=models.Model)


class AppendOnlyQuerySet(models.QuerySet[Row]):
    def update(self, **kwargs: Any) -> int:
        raise WrittenOnce(f"{self.model._meta.verbose_name_plural} are written once")

    def bulk_create(self, objs: Iterable[Row], *args: Any, **kwargs: Any) -> list[Row]:
        if kwargs.get("update_conflicts"):
            raise WrittenOnce(f"{self.model._meta.verbose_name_plural} are written once")
        return super().bulk_create(objs, *args, **kwargs)

    def bulk_update(self, *args: Any, **kwargs: Any) -> int:
        raise WrittenOnce(f"{self.model._meta.verbose_name_plural} are written once")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise WrittenOnce(f"{self.model._meta.verbose_name_plural} are kept for good")


class AppendOnly(models.Model):
    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise WrittenOnce(f"{self._meta.verbose_name_plural} are written once")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise WrittenOnce(f"{self._meta.verbose_name_plural} are kept for good")
