"""New Jersey's njportal.com (ASP.NET MVC with anti-forgery tokens)."""
