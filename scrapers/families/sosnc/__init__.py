"""North Carolina's own platform (ASP.NET MVC with anti-forgery tokens)."""
