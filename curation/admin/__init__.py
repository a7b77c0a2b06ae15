"""The admin: where curators look after sources and people, and look at everything else.

Sources and ingests stand in `ingest.admin`, validations in `validation.admin`.
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
