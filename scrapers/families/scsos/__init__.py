"""South Carolina Business Entities Online (ASP.NET MVC), and its UCC search."""
