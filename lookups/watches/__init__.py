"""Companies that are looked at again and again, and what of them was seen to change."""
