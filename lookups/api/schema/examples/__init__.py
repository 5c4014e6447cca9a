"""Worked examples for the document, made of the shapes themselves; the companies are those of the sandbox registry."""
