"""Addresses of ingest on the site."""

from django.urls import path

from ingest.views import welcome

urlpatterns = [path("welcome", welcome, name="welcome")]
