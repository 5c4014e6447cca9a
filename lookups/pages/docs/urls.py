"""Addresses of the documentation. Those of guides and errors stand in replies and in others' bookmarks: they stay."""

from django.urls import path, re_path

from lookups.pages.docs import contents, views

urlpatterns = [
    path("llms.txt", views.llms, name="llms"),
    path("llms-full.txt", views.llms_full, name="llms-full"),
    re_path(r"^docs/(?P<name>[A-Za-z/-]+)\.md$", views.twin, name="docs-twin"),
    path("docs/", views.start, name="docs"),
    path("docs/guides/<slug:slug>/", views.guide, name="docs-guide"),
    path("docs/errors/", views.errors, name="error-codes"),
    path("docs/reference/", views.reference, name="docs-reference"),
    path("docs/reference/words/", views.words, name="docs-words"),
    path("docs/reference/webhooks/", views.messages, name="docs-messages"),
    path("docs/reference/<str:name>/", views.operation, name="docs-operation"),
    path("docs/search/", views.find, name="docs-search"),
    path(contents.REQUESTS.removeprefix("/"), views.requests, name="docs-requests"),
    path("docs/swagger/", views.swagger, name="docs-swagger"),
]
