"""The reference: what the OpenAPI document has, as pages show it."""
