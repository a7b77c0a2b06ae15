"""Licenses, and the texts that state the license of each file."""

from django.db import models
from django.db.models import Q

from curation.models.fields import fraction, one_of
from curation.models.sources import Repository, SourceFile
from curation.models.vocabulary import LicenseVerdict


class License(models.Model):
    """An SPDX expression and its verdict by the license policy."""

    expression = models.CharField(max_length=300, unique=True)
    name = models.CharField(max_length=300, blank=True)
    verdict = models.CharField(max_length=20, choices=LicenseVerdict.choices)
    text = models.TextField(blank=True)

    class Meta:
        ordering = ("expression",)
        constraints = (one_of("verdict", LicenseVerdict, "license_verdict_valid"),)

    def __str__(self) -> str:
        return self.expression


class LicenseReading(models.Model):
    """Cached result of a license detector for one file's content, because detection is slow."""

    key = models.CharField(
        max_length=200, primary_key=True, help_text="Content, reader, rules and detector."
    )
    findings = models.TextField(help_text="JSON.")


class ReadFrom(models.TextChoices):
    """Kind of text that states a license. The strongest evidence comes first."""

    SPDX_TAG = "spdx-tag", "SPDX tag"
    HEADER = "header", "Header"
    DOCSTRING = "docstring", "Docstring"
    PROVENANCE = "provenance", "“Adapted from” note"
    REFERENCE = "reference", "“See LICENSE” note"
    NESTED = "nested", "Nearest LICENSE above"
    REPOSITORY = "repository", "Repository's LICENSE"
    NOTICE = "notice", "NOTICE"
    README = "readme", "README"
    COPY = "copy", "A copy elsewhere"


class LicenseEvidence(models.Model):
    """A text that states the license of a file or of a complete repository."""

    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="license_evidence"
    )
    source_file = models.ForeignKey(
        SourceFile,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="license_evidence",
        help_text="Empty: it applies to the whole repository.",
    )
    license = models.ForeignKey(License, null=True, blank=True, on_delete=models.PROTECT)
    verdict = models.CharField(max_length=20, choices=LicenseVerdict.choices)
    read_from = models.CharField(max_length=20, choices=ReadFrom.choices)
    path = models.CharField(max_length=1000, help_text="The file that holds the text.")
    start_line = models.PositiveIntegerField(null=True)
    end_line = models.PositiveIntegerField(null=True)
    matched_text = models.TextField(blank=True)
    copyright = models.TextField(blank=True)
    confidence = models.FloatField(null=True, help_text="0 to 1.")
    detector = models.CharField(max_length=100, help_text="Tool, version and rule.")
    counts = models.BooleanField(
        default=True, help_text="False: shown, but not used for the verdict."
    )
    remark = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "license evidence"
        ordering = ("pk",)
        constraints = (
            one_of("verdict", LicenseVerdict, "licenseevidence_verdict_valid"),
            one_of("read_from", ReadFrom, "licenseevidence_read_from_valid"),
            fraction("confidence", "licenseevidence_confidence_fraction"),
            models.CheckConstraint(
                condition=~Q(verdict=LicenseVerdict.PERMISSIVE) | Q(license__isnull=False),
                name="licenseevidence_permissive_names_license",
            ),
        )
