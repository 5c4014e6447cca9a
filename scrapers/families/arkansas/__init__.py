"""Arkansas' own search (Laravel, server HTML)."""
