"""Admin site: curators manage sources and people, and inspect all other rows.

Sources and ingests are in `ingest.admin`, validations in `validation.admin`.
"""

from django.contrib import admin

from curation.admin import (
    decisions,
    items,
    licenses,
    opt_outs,
    people,
    provenances,
    quality,
    queue_page,
    releases,
    similarity,
)

__all__ = [
    "decisions",
    "items",
    "licenses",
    "opt_outs",
    "people",
    "provenances",
    "quality",
    "queue_page",
    "releases",
    "similarity",
]

admin.site.site_title = admin.site.site_header = "Curation"
admin.site.index_title = "Overview"
