"""Makes `config` an app, so that its commands (`manage.py up`) are found."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    """The composition root: imports everyone, imported by no one."""

    name = "config"
    verbose_name = "SOS Lookup"

    def ready(self) -> None:
        """Load the queue, so that every `shared_task` finds it everywhere, and the audit log's ears; report errors."""
        import config.celery
        import config.sign_in.events  # noqa: F401
        from config import reporting, roles, started

        # The last of our apps: the rights of all are there then.
        post_migrate.connect(roles.make, sender=apps.get_app_config("lookups"))
        reporting.start()
        started()
