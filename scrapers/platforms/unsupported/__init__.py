"""Jurisdictions whose registry no program can search, each with the reason."""
