"""States that publish their register as open data on the Socrata platform."""
