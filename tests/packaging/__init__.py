"""How the product is installed, configured and shipped."""
