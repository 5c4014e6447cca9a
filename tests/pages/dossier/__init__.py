"""The dossier: a record as a page, as a part of others, and on paper."""
