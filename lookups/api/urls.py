"""The addresses of the API and of its description."""

from django.urls import path, re_path

from lookups.api.history import views as history
from lookups.api.keys import views as keys
from lookups.api.views import (
    account,
    bulk,
    card_messages,
    documents,
    jobs,
    lookup,
    lookups,
    names,
    service,
    top_up,
    webhooks,
)
from lookups.api.watches import events
from lookups.api.watches import views as watches

urlpatterns = [
    path("v1/lookup", lookup.LookupView.as_view(), name="lookup"),
    path("v1/lookups", lookups.LookupsView.as_view(), name="lookups"),
    path("v1/lookups/<str:lookupId>", lookups.OneLookupView.as_view(), name="one-lookup"),
    path("v1/lookups/<str:lookupId>/evidence", lookups.EvidenceView.as_view(), name="evidence"),
    path("v1/lookups/<str:lookupId>/evidence.wacz", lookups.EvidenceFileView.as_view(), name="evidence-file"),
    path("v1/entities/<str:state>/<str:entityId>", history.EntityHistoryView.as_view(), name="entity-history"),
    path("v1/name-availability", names.NameAvailabilityView.as_view(), name="name-availability"),
    path("v1/lookup/status/<str:jobId>", jobs.JobView.as_view(), name="job"),
    path("v1/bulk-lookup", bulk.BulkView.as_view(), name="bulk"),
    path("v1/bulk-lookup/<str:job_id>", bulk.BulkJobView.as_view(), name="bulk-job"),
    path("v1/states", service.StatesView.as_view(), name="api-states"),
    path("v1/health", service.HealthView.as_view(), name="health"),
    path("v1/account/balance", account.BalanceView.as_view(), name="balance"),
    path("v1/account/usage", account.UsageView.as_view(), name="usage"),
    path("v1/account/topup", top_up.TopUpView.as_view(), name="topup"),
    path("v1/account/settings", account.SettingsView.as_view(), name="settings"),
    path("v1/account/deliveries", webhooks.DeliveriesView.as_view(), name="deliveries"),
    path("v1/keys", keys.KeysView.as_view(), name="keys"),
    path("v1/keys/<str:keyId>", keys.OneKeyView.as_view(), name="one-key"),
    path("v1/keys/<str:keyId>/rotate", keys.RotationView.as_view(), name="rotate-key"),
    path("v1/watches", watches.WatchesView.as_view(), name="watches"),
    path("v1/watches/batch", watches.ManyWatchesView.as_view(), name="many-watches"),
    path("v1/watches/<str:watchId>", watches.OneWatchView.as_view(), name="one-watch"),
    path("v1/watches/<str:watchId>/checks", watches.ChecksView.as_view(), name="watch-checks"),
    path("v1/events", events.EventsView.as_view(), name="events"),
    path("v1/events/taxonomy", events.TaxonomyView.as_view(), name="taxonomy"),
    path("v1/account/webhook-secret", webhooks.WebhookSecretView.as_view(), name="webhook-secret"),
    path("v1/account/webhook-test", webhooks.WebhookTestView.as_view(), name="webhook-test"),
    re_path(r"^v1/(?P<rest>.*)$", documents.UnknownView.as_view(), name="unknown"),
    path("livez", service.live, name="live"),
    path("readyz", service.ready, name="ready"),
    path("metrics", service.metrics, name="metrics"),
    path("webhooks/stripe", card_messages.receive, name="card-messages"),
    path("openapi.json", documents.openapi, name="openapi"),
]
