"""Reading pages strictly: a field says how many matches it expects, and anything else is a changed page."""
