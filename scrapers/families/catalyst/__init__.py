"""Foster Moore Catalyst: a register whose pages are one server-side conversation."""
