"""The OpenAPI document's text: what the endpoints answer, with examples. The document itself is built from it."""
