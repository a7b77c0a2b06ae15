"""Admin site: curators manage sources and people, and inspect all other rows.

Sources and ingests are in `ingest.admin`, validations in `validation.admin`.
"""

from django.contrib import admin

from curation.admin import decisions, evidence, items, people, queue_page, releases, talk

__all__ = ["decisions", "evidence", "items", "people", "queue_page", "releases", "talk"]

admin.site.site_title = admin.site.site_header = "Curation"
admin.site.index_title = "Overview"
