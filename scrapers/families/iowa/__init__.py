"""Iowa's own search (ASP.NET WebForms) and its published register of active entities."""
