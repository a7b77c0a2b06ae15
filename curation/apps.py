from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CurationConfig(AppConfig):
    name = "curation"
    verbose_name = "Curation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from curation import lookups
        from curation.search.indexes import make_indexes

        lookups.register()
        post_migrate.connect(make_indexes, sender=self)
