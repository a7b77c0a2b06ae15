from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class CurationConfig(AppConfig):
    name = "curation"
    verbose_name = "Curation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from curation.jobs.accepted import guard_jobs
        from curation.operations import first_curator  # noqa: F401 - connects its receiver
        from curation.operations.database import keep_copy
        from curation.search import lookups
        from curation.search.indexes import make_indexes

        lookups.register()
        guard_jobs()
        pre_migrate.connect(keep_copy, sender=self)
        post_migrate.connect(make_indexes, sender=self)
