"""Maryland Business Express (ASP.NET MVC)."""
