"""Claims: a reviewer's temporary lock on an item. At most one an item; it expires by itself."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.subject import AboutKernelOrPair


class Claim(AboutKernelOrPair):
    """A reviewer's lock on one item.

    Taken over by compare-and-set once `expires_at` has passed; deleted when released.
    """

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
