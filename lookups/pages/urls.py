"""Addresses of the public pages."""

from django.urls import include, path

from lookups.pages import evidence, pricing, privacy, views
from lookups.pages.dossier import listing
from lookups.pages.dossier import views as dossier
from lookups.pages.home import front, states, terms, trying

urlpatterns = [
    path("", front.home, name="home"),
    path("try/", trying.answer, name="try"),
    path("states/", states.states, name="states"),
    path("entity/<slug:state_slug>/", listing.index, name="entity-index"),
    path("entity/<slug:state_slug>/<slug:entity_slug>/", dossier.entity, name="entity"),
    path("entity/<slug:state_slug>/<slug:entity_slug>/picture.png", dossier.picture_of, name="entity-picture"),
    path("sitemap.xml", listing.sitemap, name="sitemap"),
    path("sitemaps/pages.xml", listing.sitemap_of_pages, name="sitemap-pages"),
    path("sitemaps/<slug:state_slug>-<int:number>.xml", listing.sitemap_of_state, name="sitemap-state"),
    path("pricing/", pricing.pricing, name="pricing"),
    path("topup/done/", pricing.done, name="topup-done"),
    path("topup/cancelled/", pricing.cancelled, name="topup-cancelled"),
    path("terms/", terms.terms, name="terms"),
    path("contact/", terms.contact, name="contact"),
    path("privacy/", privacy.ask, name="privacy"),
    path("privacy/<uuid:request_id>/", privacy.received, name="privacy-received"),
    path("verify/", evidence.check, name="verify"),
    path("verify/verify.py", evidence.program, name="verify-program"),
    path("verify/<slug:sha256>/", dossier.manifest, name="verify-manifest"),
    path(".well-known/sos-lookup-keys.json", evidence.keys, name="signing-keys"),
    path("", include("lookups.pages.docs.urls")),
    path("robots.txt", views.robots, name="robots"),
]
