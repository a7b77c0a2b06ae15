"""A release: a named, immutable snapshot of what left the house."""

from django.conf import settings
from django.db import models

from curation.models.append_only import AppendOnly
from curation.models.constraints import one_of, sha256
from curation.models.subject import AboutKernelOrPair


class Split(models.TextChoices):
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class Release(AppendOnly):
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
    """A record of a release, with the content that it had."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="members")
    record_id = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64)
    split = models.CharField(max_length=10, choices=Split.choices)
    weight = models.DecimalField(max_digits=6, decimal_places=2, default=1)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("release", "record_id")
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            sha256("content_hash", "releasemember_content_hash_valid"),
            one_of("split", Split, "releasemember_split_valid"),
            models.UniqueConstraint(fields=("release", "record_id"), name="releasemember_once"),
        )

    def __str__(self) -> str:
        return f"{self.release}: {self.record_id}"
