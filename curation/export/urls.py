from django.urls import path

from curation.export import views

urlpatterns = [
    path("exports/", views.exports, name="exports"),
    path("exports/<int:pk>/download", views.download, name="download-export"),
]
