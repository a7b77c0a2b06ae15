from django.urls import path

from curation.review import views

urlpatterns = [
    path("", views.queue, name="queue"),
    path("kernels/<int:pk>/", views.kernel, name="kernel"),
    path("kernels/<int:pk>/decision", views.decide_kernel, name="decide-kernel"),
]
