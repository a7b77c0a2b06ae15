"""Saved views: a reviewer's named filters of the list."""

from django.conf import settings
from django.db import models


class SavedView(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views"
    )
    name = models.CharField(max_length=80)
    query = models.TextField(help_text="The filter as a query string.")

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="savedview_once"),)

    def __str__(self) -> str:
        return self.name
