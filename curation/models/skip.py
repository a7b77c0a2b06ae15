"""Skips: items a reviewer passed over. They return when no other item is waiting."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.subject import AboutKernelOrPair


class Skip(AboutKernelOrPair):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            models.UniqueConstraint(
                fields=("kernel", "user"), condition=Q(pair=None), name="skip_once_per_kernel"
            ),
            models.UniqueConstraint(
                fields=("pair", "user"), condition=Q(kernel=None), name="skip_once_per_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.item} by {self.user}"
