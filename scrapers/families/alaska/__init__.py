"""Alaska's own search (ASP.NET MVC) and its published register."""
