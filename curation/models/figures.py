"""Cache of figures that take long to compute, with the time of each. Disposable."""

from django.db import models


class Figures(models.Model):
    name = models.CharField(max_length=60, primary_key=True)
    value = models.JSONField()
    gathered_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "figures"

    def __str__(self) -> str:
        return self.name
