"""Lookups that are answered later: accepted, claimed by one worker at a time, ended once."""
