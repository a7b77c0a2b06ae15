"""Leases: the process that holds an exclusive duty, such as the scheduler's."""

from django.db import models


class Lease(models.Model):
    name = models.CharField(max_length=60, primary_key=True)
    holder = models.CharField(max_length=200)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name}: {self.holder}"
