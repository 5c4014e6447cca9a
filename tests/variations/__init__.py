"""Pages that differ: the saved pages of every state, changed in ways in which real pages differ from described ones."""
