"""Customers' keys over the API: what may be sent, and what is answered."""
