"""Maine's ICRS (a servlet whose pages are nested tables without ids)."""
