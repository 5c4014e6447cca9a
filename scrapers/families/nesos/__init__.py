"""Nebraska's corporation search (a CGI program)."""
