"""Builds the OpenAPI document from the code; the committed copy beside it is frozen by a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from lookups.api.schema import offers

TAGS = {
    "Lookup": "One company, or the liens on it, from its state's own registry.",
    "Bulk": "Up to a thousand companies in one request.",
    "Names": "Whether a name is free in a state.",
    "Account": "The balance, what was spent, preferences.",
    "Service": "What can be asked, and whether the service is well. No key needed.",
}
COMMITTED = Path(__file__).resolve().parent.parent / "openapi.yaml"


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """The two headers a key may come in."""

    target_class = "lookups.api.authentication.ApiKeyAuthentication"
    name = ["ApiKeyAuth", "BearerAuth"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        """Both schemes."""
        return [
            {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "`x-api-key: osd_…`"},
            {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer osd_…`"},
        ]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        """Either of them will do."""
        return [{"ApiKeyAuth": []}, {"BearerAuth": []}]


def build() -> dict[str, Any]:
    """The document as a dictionary, ready for JSON."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    document["x-service-info"] = offers.SERVICE
    document["paths"]["/v1/lookup"]["post"]["x-payment-info"] = offers.without_methods()
    document["tags"] = [{"name": name, "description": about} for name, about in TAGS.items()]
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] = dict(sorted(operation["responses"].items()))
    return document


def to_yaml(document: dict[str, Any]) -> str:
    """The document as it is committed: in the order of the code, long lines kept whole."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)
