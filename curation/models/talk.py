"""Comments on lines of code, and notices to people."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.fields import one_of, sha256
from curation.models.items import AboutKernelOrPair


class LineComment(AboutKernelOrPair):
    """A comment on a line of an item's text, or a reply to one.

    An item's texts never change, so a line number stays valid. A thread is a comment without a
    parent, together with its replies.
    """

    content_hash = models.CharField(max_length=64, help_text="Of the item.")
    file = models.CharField(max_length=20, help_text="The column that holds the text.")
    line = models.PositiveIntegerField(help_text="From 1, within the text.")
    code = models.CharField(max_length=300, blank=True, help_text="The line itself, cut.")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="line_comments"
    )
    text = models.TextField(blank=True, help_text="Empty since the author has deleted it.")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="replies"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            sha256("content_hash", "linecomment_content_hash_valid"),
            models.CheckConstraint(condition=Q(line__gte=1), name="linecomment_line_counts"),
            models.CheckConstraint(
                condition=Q(deleted_at=None) & ~Q(text="") | Q(deleted_at__isnull=False, text=""),
                name="linecomment_empty_iff_deleted",
            ),
            models.CheckConstraint(
                condition=Q(resolved_at=None, resolved_by=None)
                | Q(resolved_at__isnull=False, resolved_by__isnull=False, parent=None),
                name="linecomment_thread_resolved_by_somebody",
            ),
        )


class NoticeKind(models.TextChoices):
    QUESTION = "question"
    MENTION = "mention"
    REPLY = "reply"
    DISPUTE = "dispute"
    RUN = "run"


class Notice(models.Model):
    """A sentence for one person about an event. `deliver_notices` sends it by mail and webhook."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    kind = models.CharField(max_length=10, choices=NoticeKind.choices)
    text = models.CharField(max_length=500)
    url = models.CharField(max_length=300, help_text="The page of this site that it is about.")
    event = models.CharField(max_length=80, help_text="A person gets one notice of an event.")
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    trouble = models.CharField(max_length=300, blank=True, help_text="Why it could not be sent.")

    class Meta:
        ordering = ("-pk",)
        constraints = (
            one_of("kind", NoticeKind, "notice_kind_valid"),
            models.UniqueConstraint(fields=("user", "event"), name="notice_once_an_event"),
        )
        indexes = (
            models.Index(fields=("user",), condition=Q(read_at=None), name="notice_unread"),
            models.Index(fields=("id",), condition=Q(sent_at=None), name="notice_unsent"),
        )

    def __str__(self) -> str:
        return f"{self.kind} for {self.user}"


class NoticeChoice(models.Model):
    """A person's choice whether to get notices by mail. The site shows notices in any case."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choice"
    )
    mail = models.BooleanField(default=False, help_text="Send notices to the account's address.")
