"""The documentation site: guides made from `docs/`, a reference made from the OpenAPI document, search, Markdown."""
