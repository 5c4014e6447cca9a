"""Civix (formerly PCC) ASP.NET MVC: the registries whose results stand in `grid_businessList`."""
