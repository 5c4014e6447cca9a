"""Wisconsin's Department of Financial Institutions (WebForms, searched by GET)."""
