"""The addresses of ingest, on the one site."""

from django.urls import path

from ingest.views import welcome

urlpatterns = [path("welcome", welcome, name="welcome")]
