"""Liens in the open data of the states whose companies are read here."""
