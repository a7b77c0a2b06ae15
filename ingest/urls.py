"""URLs of the ingest pages."""

from django.urls import path

from ingest.views import queue_ingest, welcome

urlpatterns = [
    path("welcome", welcome, name="welcome"),
    path("ingest", queue_ingest, name="queue-ingest"),
]
