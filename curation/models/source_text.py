"""Texts of source files, one for each content, apart from the rows that lists read."""

from django.db import models

from curation.models.constraints import sha256


class SourceText(models.Model):
    """Text of a file. Kept in the database, because the web host may lack the mirror.

    For a notebook, only the text of its code cells is kept.
    """

    sha256 = models.CharField(max_length=64, primary_key=True, help_text="Of the file's bytes.")
    text = models.TextField(help_text="Decoded, each line ended by a line feed.")

    class Meta:
        constraints = (sha256("sha256", "sourcetext_sha256_valid"),)
