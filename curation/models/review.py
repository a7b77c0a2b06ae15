"""Decisions of reviewers, and their preparation: claims, skips, questions, second reviews."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.fields import AppendOnly, once_per_item, one_of, sha256
from curation.models.items import AboutKernelOrPair
from curation.models.vocabulary import Status


class DecisionReason(models.Model):
    """A reason that reviewers can choose. Decisions copy the text, so they keep old wordings."""

    status = models.CharField(
        max_length=10, choices=Status.choices, help_text="Of the decisions that it is a reason for."
    )
    text = models.CharField(max_length=100, unique=True)
    position = models.PositiveSmallIntegerField(default=100, help_text="Lower comes first.")
    offered = models.BooleanField(default=True)

    class Meta:
        ordering = ("position", "pk")
        constraints = (one_of("status", Status, "decisionreason_status_valid"),)

    def __str__(self) -> str:
        return self.text


class BulkDecision(models.Model):
    """One decision on all items that a filter matches. It is also undone for all of them.

    The row contains the complete request, so that an interrupted bulk decision can be resumed.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=10, choices=Status.choices)
    filter = models.TextField(help_text="As a query string.")
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    count = models.PositiveIntegerField(default=0)
    request = models.UUIDField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(
        null=True, blank=True, help_text="Since then it records no more decisions."
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (one_of("status", Status, "bulkdecision_status_valid"),)


class Actor(models.TextChoices):
    """Kind of author of a decision: a person, a curator's policy, or the account of a program."""

    PERSON = "person"
    POLICY = "policy"
    PROGRAM = "program"


class Decision(AppendOnly, AboutKernelOrPair):
    """A decision on an item: status, reasons, author, and hash of the content that was seen."""

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
    open_claims = models.JSONField(
        null=True, help_text="Topics that were open on the sheet. Null: no sheet was shown."
    )
    rules = models.CharField(
        max_length=100, blank=True, help_text="The policy and its version, if no person decided."
    )
    undoes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="undone_by"
    )
    bulk = models.ForeignKey(
        BulkDecision, null=True, blank=True, on_delete=models.PROTECT, related_name="decisions"
    )
    # Idempotency key: a request that is delivered twice makes only one decision.
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
                | (Q(actor=Actor.POLICY, user__isnull=True) & ~Q(rules=""))
                | (Q(actor=Actor.PROGRAM, user__isnull=False) & ~Q(rules="")),
                name="decision_actor_named",
            ),
            # A version of an item gets one decision. The second of two concurrent ones fails.
            *once_per_item("decision_one_per_item_version", "item", "version"),
        )

        indexes = (
            # Covering index for the list of a person's decisions, which then reads no rows.
            models.Index(fields=("user", "kernel", "pair", "version"), name="decision_by_user"),
        )


class Correction(AppendOnly, AboutKernelOrPair):
    """A change of the classification. `before` and `after`: operation type, difficulty and tags."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="corrections"
    )
    decision = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.PROTECT, related_name="correction"
    )
    before = models.JSONField()
    after = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)


class Claim(AboutKernelOrPair):
    """A reviewer's lock on one item.

    After `expires_at`, a compare-and-set may give it to another reviewer. Its release deletes it.
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
            *once_per_item("claim_one_per_item", "item"),
        )


class Skip(AboutKernelOrPair):
    """An item that a reviewer skipped. The queue offers it again when no other item is waiting."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            *once_per_item("skip_once_per_item", "item", "user"),
        )


class Question(AboutKernelOrPair):
    """A question about an item. While it is open, only the addressee gets the item from the queue.

    If there is no addressee, everyone except the asker may get it.
    """

    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="questions_asked"
    )
    asked = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="questions",
        help_text="Empty: any other reviewer.",
    )
    text = models.TextField()
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            models.CheckConstraint(
                condition=Q(answered_at=None, answered_by=None)
                | Q(answered_at__isnull=False, answered_by__isnull=False),
                name="question_answered_by_somebody",
            ),
            *once_per_item("question_one_open_per_item", "item", answered_at=None),
        )


class Agreement(models.TextChoices):
    WAITING = "waiting"
    AGREED = "agreed"
    DISPUTED = "disputed", "Disagreed; a curator decides"
    SETTLED = "settled", "Disagreed; a curator has decided"
    VOID = "void", "The first decision was undone or changed"


class SecondReview(AboutKernelOrPair):
    """A blind second review. It does not change the status. If it disagrees, a curator decides."""

    first = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="second_review")
    state = models.CharField(
        max_length=10, choices=Agreement.choices, default=Agreement.WAITING, editable=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    status = models.CharField(max_length=10, choices=Status.choices, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    request = models.UUIDField(unique=True, null=True)
    given_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.PROTECT, related_name="settles"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("state", Agreement, "secondreview_state_valid"),
            models.CheckConstraint(
                condition=Q(given_at=None, user=None, status="")
                | Q(given_at__isnull=False, user__isnull=False, status__in=Status.values),
                name="secondreview_given_by_somebody",
            ),
        )
        indexes = (models.Index(fields=("state", "id"), name="secondreview_by_state"),)
