"""One lookup from question to outcome: stored or asked, held and settled."""
