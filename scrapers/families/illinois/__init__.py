"""Illinois' own search (JSP)."""
