"""Alabama's own search (IBM i, server HTML)."""
