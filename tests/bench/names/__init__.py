"""How well names are matched and searched for, measured on the real companies of a whole registry."""
