"""From the states' own wording to one form: names, dates, addresses, officers, entity types."""
