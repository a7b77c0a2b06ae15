"""Admin site: curators manage sources, licenses, reasons and people, and see releases and notices.

Sources are in `ingest.admin`. All other rows are on the pages of the site.
"""

import django_rq.admin
from django.contrib import admin
from django_rq.models import Dashboard

from curation.admin import people, tables

__all__ = ["people", "tables"]

# Runs are cancelled and retried on this site's page of runs. django_rq's page changes no rows.
admin.site.unregister(Dashboard)
admin.site.site_title = admin.site.site_header = "Curation"
admin.site.index_title = "Overview"
