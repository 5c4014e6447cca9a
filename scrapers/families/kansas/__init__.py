"""Kansas' own search (ASP.NET WebForms)."""
