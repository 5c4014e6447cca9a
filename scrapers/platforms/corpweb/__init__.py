"""CorpWeb: the ASP.NET WebForms platform of Massachusetts and Rhode Island."""
