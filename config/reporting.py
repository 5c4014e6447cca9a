"""Errors to Sentry and traces to a collector, each by one variable; without it its library is not even imported.

What leaves the house is where something broke and how long it took: no body, no address, no local variable, no message
of an exception (it may quote a name or a key). The request's id goes along, by which the log here has the rest.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from lookups.operations import request_ids, tracing

KEPT = ("event_id", "timestamp", "level", "logger", "platform", "release", "environment", "sdk", "exception")
MISSING = "{variable} is set and its library is not installed: install config/requirements/reporting.txt."


def start() -> None:
    """Begin to report what the variables ask for. Raises ImproperlyConfigured where that cannot be."""
    for variable, begin in (("SENTRY_DSN", _report_errors), ("OTEL_EXPORTER_OTLP_ENDPOINT", _send_traces)):
        if getattr(settings, variable):
            try:
                begin(getattr(settings, variable))
            except ModuleNotFoundError as missing:
                raise ImproperlyConfigured(MISSING.format(variable=variable)) from missing
            except ValueError as wrong:
                raise ImproperlyConfigured(f"{variable} is no address to report to: {wrong}.") from wrong


def _report_errors(address: str) -> None:
    import sentry_sdk
    from sentry_sdk.integrations.dedupe import DedupeIntegration
    from sentry_sdk.integrations.excepthook import ExcepthookIntegration
    from sentry_sdk.integrations.logging import LoggingIntegration

    sentry_sdk.init(
        dsn=address,
        release=str(settings.SPECTACULAR_SETTINGS["VERSION"]),
        send_default_pii=False,
        include_local_variables=False,
        include_source_context=False,  # from 3.13 on Python keeps that of a command line, too
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=_only_what_may_leave,
        default_integrations=False,  # what broke is logged as an error, whoever noticed it: Django, Celery, we
        integrations=[
            LoggingIntegration(level=None, event_level=logging.ERROR),
            ExcepthookIntegration(),
            DedupeIntegration(),
        ],
    )


def _only_what_may_leave(event: Any, hint: dict[str, Any]) -> Any:
    """The event without what it may have of the request: only what is known to be harmless stays."""
    kept = {name: event[name] for name in KEPT if name in event}
    for one in kept.get("exception", {}).get("values", []):
        one["value"] = ""
    template = event.get("logentry", {}).get("message", "")  # without the values that the line has in it
    kept["logentry"] = {"message": template}
    kept["tags"] = {"request_id": request_ids.current()}
    return kept


def _send_traces(address: str) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class ByRequest(RandomIdGenerator):
        """All that is done for one request is one trace, in whichever process."""

        def generate_trace_id(self) -> int:
            request_id = request_ids.current().encode()
            known = int.from_bytes(hashlib.sha256(request_id).digest()[:16], "big") if request_id else 0
            return known or super().generate_trace_id()

    provider = TracerProvider(
        resource=Resource.create({"service.name": "sos-lookup"}), id_generator=ByRequest(), shutdown_on_exit=True
    )
    exporter = OTLPSpanExporter(endpoint=f"{address.rstrip('/')}/v1/traces", timeout=5)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracing.start(_opener(provider.get_tracer("sos-lookup")))


class _Span:
    """See `tracing.Span`."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def note(self, **facts: tracing.Value) -> None:
        """See `tracing.Span`."""
        self._span.set_attributes(facts)


def _opener(tracer: Any) -> tracing.Opener:
    @contextmanager
    def opened(name: str) -> Iterator[_Span]:
        with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            span.set_attribute("request_id", request_ids.current())
            try:
                yield _Span(span)
            except BaseException as error:
                span.set_attribute("error", type(error).__name__)
                raise

    return opened
