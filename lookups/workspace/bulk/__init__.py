"""Bulk on one page, in three steps: a table is dropped and its columns named, its rows are mended and bought, asked."""
