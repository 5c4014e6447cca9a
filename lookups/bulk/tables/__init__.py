"""Tables that people bring: read as they are, whatever program has made them, and never run."""
