"""Who is looking at an item. A claim expires by itself; an item has one at the most."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.subject import AboutKernelOrPair


class Claim(AboutKernelOrPair):
    """Taken over by compare-and-set once `expires_at` has passed; deleted when released."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims"
    )
    token = models.UUIDField()
    expires_at = models.DateTimeField(db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            models.UniqueConstraint(
                fields=("kernel",), condition=Q(pair=None), name="claim_one_per_kernel"
            ),
            models.UniqueConstraint(
                fields=("pair",), condition=Q(kernel=None), name="claim_one_per_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.item} by {self.user}"
