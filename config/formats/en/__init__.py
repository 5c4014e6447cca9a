"""The one language of the pages."""
