"""What a dossier shows of one record: its lines, and how they are written."""
