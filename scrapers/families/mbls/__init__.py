"""Minnesota's Business and Lien System (ASP.NET MVC, plain GET)."""
