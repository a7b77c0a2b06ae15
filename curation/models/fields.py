"""Constraints on columns, and the base model of append-only tables."""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.db.models.lookups import Exact


def one_of(field: str, choices: type[models.TextChoices], name: str) -> models.CheckConstraint:
    """Require that `field` holds a value of `choices`."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": choices.values}), name=name)


def fraction(field: str, name: str) -> models.CheckConstraint:
    """Require that `field` is null or between 0 and 1."""
    known = Q(**{f"{field}__gte": 0, f"{field}__lte": 1})
    return models.CheckConstraint(condition=known | Q(**{f"{field}__isnull": True}), name=name)


def sha256(field: str, name: str) -> models.CheckConstraint:
    """Require that `field` has the length of a SHA-256 in hexadecimal.

    With a regular expression, SQLite would call Python for each row that it writes.
    """
    return models.CheckConstraint(condition=Exact(Length(field), 64), name=name)


def once_per_item(
    name: str, *fields: str, **condition: None
) -> tuple[models.UniqueConstraint, models.UniqueConstraint]:
    """Allow only one row for each combination of `fields` among the rows that meet `condition`.

    Return two constraints. In one, "item" in `name` and `fields` is replaced by "kernel", in the
    other by "pair".
    """
    of_kernel, of_pair = (
        models.UniqueConstraint(
            fields=[field.replace("item", item) for field in fields],
            condition=Q(**{other: None}, **condition),
            name=name.replace("item", item),
        )
        for item, other in (("kernel", "pair"), ("pair", "kernel"))
    )
    return of_kernel, of_pair


class WrittenOnce(Exception):
    """An error because code tries to change or delete an append-only row."""


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
    """Base model of rows that never change. To undo a row, another row is added."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise WrittenOnce(f"{self._meta.verbose_name_plural} are written once")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise WrittenOnce(f"{self._meta.verbose_name_plural} are kept for good")
