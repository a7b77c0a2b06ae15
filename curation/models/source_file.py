"""Source files: one row for each content at a path of a repository. Never changed."""

from django.db import models
from django.db.models import Q

from curation.models.constraints import sha256
from curation.models.repository import Repository


class SourceFile(models.Model):
    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=1000)
    commit = models.CharField(
        max_length=64, help_text="The first ingested commit at which it had this content."
    )
    blob_hash = models.CharField(max_length=64, help_text="Git's hash of the content.")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    tokens = models.PositiveIntegerField(null=True)
    retired_at = models.DateTimeField(
        null=True, help_text="When an ingest no longer found this content at this path."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("repository", "path")
        constraints = (
            sha256("sha256", "sourcefile_sha256_valid"),
            models.UniqueConstraint(
                fields=("repository", "path", "blob_hash"), name="sourcefile_one_per_content"
            ),
            models.UniqueConstraint(
                fields=("repository", "path"),
                condition=Q(retired_at=None),
                name="sourcefile_one_current_per_path",
            ),
        )
        indexes = (models.Index(fields=("blob_hash",), name="sourcefile_by_blob"),)

    def __str__(self) -> str:
        return f"{self.repository}: {self.path}"
