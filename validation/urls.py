"""Addresses of validation on the site."""

from django.urls import path

from validation.views import finish_draft, save_edit, try_case, validate_item, validate_list

urlpatterns = [
    path("validate", validate_list, name="validate-list"),
    path("<kind:kind>/<int:pk>/validate", validate_item, name="validate-item"),
    path("pairs/<int:pk>/try", try_case, name="try-case"),
    path("drafts/<int:pk>/pair", finish_draft, name="finish-draft"),
    path("pairs/<int:pk>/version", save_edit, name="save-version"),
]
