"""Texas, whose own registry charges a dollar a search: the Comptroller's public account status instead."""
