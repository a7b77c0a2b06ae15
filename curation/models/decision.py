"""Decisions on items: status, reasons, author and the content that was seen. Append-only."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.append_only import AppendOnly
from curation.models.bulk import BulkDecision
from curation.models.constraints import one_of, sha256
from curation.models.subject import AboutKernelOrPair
from curation.models.vocabulary import Status


class Actor(models.TextChoices):
    """Author of a decision: a person, or a policy that a curator activated."""

    PERSON = "person"
    POLICY = "policy"


class Decision(AppendOnly, AboutKernelOrPair):
    content_hash = models.CharField(max_length=64, help_text="Of the item as it was seen.")
    version = models.PositiveIntegerField(help_text="Of the item before this decision.")
    status = models.CharField(
        max_length=10, choices=Status.choices, help_text="Of the item since this decision."
    )
    previous_status = models.CharField(max_length=10, choices=Status.choices)
    actor = models.CharField(max_length=10, choices=Actor.choices, default=Actor.PERSON)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.PROTECT,
        related_name="decisions",
    )
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    rules = models.CharField(
        max_length=100, blank=True, help_text="The policy and its version, if no person decided."
    )
    undoes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="undone_by"
    )
    bulk = models.ForeignKey(
        BulkDecision, null=True, blank=True, on_delete=models.PROTECT, related_name="decisions"
    )
    # Idempotency key: a request that is delivered twice decides once.
    request = models.UUIDField(unique=True, default=uuid.uuid4)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            sha256("content_hash", "decision_content_hash_valid"),
            one_of("status", Status, "decision_status_valid"),
            one_of("previous_status", Status, "decision_previous_status_valid"),
            models.CheckConstraint(
                condition=Q(actor=Actor.PERSON, user__isnull=False)
                | (Q(actor=Actor.POLICY, user__isnull=True) & ~Q(rules="")),
                name="decision_actor_named",
            ),
            # Each version of an item gets one decision, so a concurrent second one fails.
            models.UniqueConstraint(
                fields=("kernel", "version"),
                condition=Q(pair=None),
                name="decision_one_per_kernel_version",
            ),
            models.UniqueConstraint(
                fields=("pair", "version"),
                condition=Q(kernel=None),
                name="decision_one_per_pair_version",
            ),
        )

        indexes = (
            # Covering index: lists a person's decisions without reading rows.
            models.Index(fields=("user", "kernel", "pair", "version"), name="decision_by_user"),
        )

    def __str__(self) -> str:
        return f"{self.item} {self.status} by {self.user or self.rules}"
