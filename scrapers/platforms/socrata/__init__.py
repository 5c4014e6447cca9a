"""States that publish their companies as open data on the Socrata platform."""
