"""What other registers call a company that was looked up."""
