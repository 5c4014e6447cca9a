"""Delaware's own search (ASP.NET WebForms)."""
