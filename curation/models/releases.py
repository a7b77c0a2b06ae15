"""Releases: their files, members, splits and withdrawals."""

from django.conf import settings
from django.db import models

from curation.models.fields import AppendOnly, once_per_item, one_of, sha256
from curation.models.items import AboutKernelOrPair


class Split(models.TextChoices):
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class Release(AppendOnly):
    """A named, unchangeable snapshot of exported items."""

    name = models.CharField(max_length=100, unique=True)
    options = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0)
    code_version = models.CharField(max_length=100)
    manifest = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.name


class ReleaseMember(AppendOnly, AboutKernelOrPair):
    """A record of a release, with its content hash and metadata."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="members")
    record_id = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64)
    split = models.CharField(max_length=10, choices=Split.choices)
    weight = models.DecimalField(max_digits=6, decimal_places=2, default=1)
    tokens = models.PositiveIntegerField(default=0)
    metadata = models.TextField(default="{}", help_text="JSON, byte for byte as exported.")

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("release", "record_id")
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            sha256("content_hash", "releasemember_content_hash_valid"),
            one_of("split", Split, "releasemember_split_valid"),
            models.UniqueConstraint(fields=("release", "record_id"), name="releasemember_once"),
        )


class ReleaseFile(AppendOnly):
    """One chunk of a file of a release."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=300)
    number = models.PositiveIntegerField(help_text="Position of the chunk in the file.")
    data = models.BinaryField(help_text="Compressed by zlib.")

    class Meta:
        ordering = ("release", "path", "number")
        constraints = (
            models.UniqueConstraint(fields=("release", "path", "number"), name="releasefile_once"),
        )


class SplitAssignment(AppendOnly, AboutKernelOrPair):
    """The split that an item got at its first export. It never moves to another split."""

    plan = models.CharField(max_length=100, help_text="Shares, seed and grouping.")
    split = models.CharField(max_length=10, choices=Split.choices)

    class Meta(AboutKernelOrPair.Meta):
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("split", Split, "splitassignment_split_valid"),
            *once_per_item("splitassignment_one_per_item", "item", "plan"),
        )


class Withdrawal(AppendOnly):
    """A record of a release that may no longer be distributed."""

    member = models.OneToOneField(
        ReleaseMember, on_delete=models.PROTECT, related_name="withdrawal"
    )
    reason = models.CharField(max_length=60)
    message = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
