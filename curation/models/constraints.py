"""Constraints that several models share, so that each invariant is written once."""

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

    A regular expression would be a Python call for each row that SQLite writes.
    """
    return models.CheckConstraint(condition=Exact(Length(field), 64), name=name)
