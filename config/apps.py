"""Makes `config` an app, so that its commands (`manage.py up`) are found."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The composition root: imports everyone, imported by no one."""

    name = "config"
    verbose_name = "SOS Lookup"

    def ready(self) -> None:
        """Load the queue, so that every `shared_task` finds it in web and worker alike."""
        import config.celery  # noqa: F401
