"""Admin site: curators manage sources, licenses, reasons and people, and see releases and notices.

Sources are in `ingest.admin`. All other rows are on the pages of the site.
"""

from django.contrib import admin

from curation.admin import people, queue_page, tables

__all__ = ["people", "queue_page", "tables"]

admin.site.site_title = admin.site.site_header = "Curation"
admin.site.index_title = "Overview"
