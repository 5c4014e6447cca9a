"""Public HTML: what a person sees of the product without a key."""
