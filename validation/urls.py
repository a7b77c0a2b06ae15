"""The addresses of validation, on the one site."""

from django.urls import path

from validation.views import finish_draft, validate_item

urlpatterns = [
    path("<kind:kind>/<int:pk>/validate", validate_item, name="validate-item"),
    path("drafts/<int:pk>/pair", finish_draft, name="finish-draft"),
]
