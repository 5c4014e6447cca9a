"""Kentucky: the business filings search and the lien search, two old ASP.NET sites of one office."""
